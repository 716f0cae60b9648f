// Containers that are started again: each start has its own bytes, under the name that its runtime gives it.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "tests/node/stream/followed_flow.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/occurrences.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::test {
namespace {

// Writes the lines of its start. They begin at 1000 * how often it was started before.
const std::string kWriteOwnLines =
    "n=$(cat /starts 2>/dev/null || echo 0); echo $((n + 1)) >/starts; log_writer both ${n}000 500";

std::string lines_of(unsigned start, bool to_stderr) {
  std::string all;
  for (unsigned i = start * 1000; i < start * 1000 + 500; ++i)
    if ((i % 3 == 0) == to_stderr) all += writer_lines(i, 1);
  return all;
}

class PodmanRestarts : public testing::Test {
 protected:
  void start_daemon() {
    daemon_ = std::make_unique<Daemon>(root_, kCapturing);
    daemon_->wait_ready();
  }
  void end_daemon(int signal) {
    daemon_->signal(signal);
    EXPECT_TRUE(daemon_->wait());
    daemon_.reset();
  }
  // Each start waits for its own go.
  void make() {
    id_ = podman_.start({.name = kName,
                         .command = shell("n=$(cat /starts 2>/dev/null || echo 0); echo early $n; "
                                          "until [ -e /go$n ] || [ ! -e /bin ]; do sleep 0.1; done; " +
                                          kWriteOwnLines + "; exit 3")});
  }
  void again() { podman_.podman({"start", kName}); }
  void go(unsigned start) {
    let_go(root_, "go" + std::to_string(start));
    EXPECT_EQ(podman_.wait(kName), 3);
  }
  static std::string out_of(unsigned start) {
    return "early " + std::to_string(start) + "\n" + lines_of(start, false);
  }
  // The flow of the run with this number, of those that flowtapd has seen.
  [[nodiscard]] std::string run(unsigned number) const {
    const std::string first = std::string("container/") + kName + "-" + id_.substr(0, 12);
    return number == 1 ? first : first + "@" + std::to_string(number);
  }
  [[nodiscard]] bool has_ended(const std::string& flow) const {
    return eventually([&] {
      const auto seen = flow_called(*daemon_, flow);
      return seen && !seen->open;
    });
  }
  [[nodiscard]] std::string flowtap(const std::string& arguments, int status = 0) const {
    const Outcome outcome = flowtap_program(arguments + " --state-dir " + daemon_->state_dir());
    EXPECT_EQ(outcome.exit, status) << arguments << ": " << outcome.output;
    return outcome.output;
  }
  // This run's log has what this start wrote, and nothing else.
  void expect_run(unsigned number, unsigned start) const {
    EXPECT_TRUE(has_ended(run(number)));
    EXPECT_EQ(difference(log_text(*daemon_, run(number), "stdout"), out_of(start)), "") << number;
    EXPECT_EQ(difference(log_text(*daemon_, run(number), "stderr"), lines_of(start, true)), "") << number;
  }
  [[nodiscard]] std::set<std::string> runs() const {
    std::set<std::string> ids;
    for (const std::string& flow : flow_ids(*daemon_))
      if (flow.starts_with(run(1))) ids.insert(flow);
    return ids;
  }

  static constexpr const char* kName = "again";
  const ScratchRoot root_;
  Podman podman_{root_};
  std::unique_ptr<Daemon> daemon_;
  std::string id_;
};

// podman keeps the container's id and its file of lines. Each start is a flow of its own, also where flowtapd was started again.
TEST_F(PodmanRestarts, EachStartIsARun) {
  start_daemon();
  make();
  for (unsigned start = 0; start < 4; ++start) {
    if (start > 0) again();
    ASSERT_TRUE(eventually([&] {
      const auto flow = flow_called(*daemon_, run(start + 1));
      return flow && flow->open;
    })) << run(start + 1);
    if (start == 2) {
      end_daemon(SIGKILL);
      start_daemon();
    }
    // It has what this start writes, and ends with it.
    FollowedFlow followed(*daemon_, run(start + 1));
    go(start);
    EXPECT_EQ(followed.expect(out_of(start), lines_of(start, true)).id, run(start + 1));
  }
  EXPECT_EQ(runs(), (std::set<std::string>{run(1), run(2), run(3), run(4)}));
  std::string why;
  const auto tells_last_end = [&] {
    why = flowtap_program("why again -o json --state-dir " + daemon_->state_dir()).output;
    return why.contains(R"("flow":")" + run(4) + '"') && why.contains(R"("code":3)");
  };
  EXPECT_TRUE(eventually(tells_last_end)) << why;
  end_daemon(SIGTERM);
  start_daemon();
  EXPECT_TRUE(tells_last_end()) << why;
  for (unsigned start = 0; start < 4; ++start) expect_run(start + 1, start);
  EXPECT_EQ(flowtap("logs again --stream stdout"), out_of(3)) << "the newest";
  EXPECT_EQ(flowtap("logs again -p --stream stdout"), out_of(2));
  EXPECT_EQ(flowtap("logs " + id_.substr(0, 12) + " --previous --stream stderr"), lines_of(2, true));
  EXPECT_EQ(flowtap("logs -p --stream stdout " + run(2)), out_of(0));
  EXPECT_EQ(flowtap("logs --stream stdout " + run(1)), out_of(0));
  EXPECT_TRUE(flowtap("logs -p " + run(1), 1).contains("no run before"));
  EXPECT_TRUE(flowtap("flows").contains(run(4) + "\n"));
  // podman's file has all four runs one after the other, and none of them is told to differ from it.
  std::string flows;
  EXPECT_TRUE(eventually([&] {
    flows = flowtap("flows --kind container -o json");
    return occurrences(flows, R"("audit":"equal")") == 4;
  })) << flows;
}

// The name is another one, and the id, the file and what was run are the same container's.
TEST_F(PodmanRestarts, ARunUnderAnotherName) {
  start_daemon();
  make();
  ASSERT_TRUE(eventually([&] { return flow_called(*daemon_, run(1)).has_value(); }));
  go(0);
  expect_run(1, 0);
  podman_.podman({"rename", kName, "renamed"});
  podman_.podman({"start", "renamed"});
  let_go(root_, "go1");
  EXPECT_EQ(podman_.wait("renamed"), 3);
  const std::string second = "container/renamed-" + id_.substr(0, 12) + "@2";
  EXPECT_TRUE(has_ended(second)) << flowtap("flows");
  EXPECT_EQ(flowtap("logs renamed --stream stdout"), out_of(1));
  EXPECT_EQ(flowtap("logs renamed --previous --stream stdout"), out_of(0));
  std::string flows;
  EXPECT_TRUE(eventually([&] {
    flows = flowtap("flows --kind container -o json");
    return occurrences(flows, R"("audit":"equal")") == 2;
  })) << flows;
}

// What the programs have seen meanwhile is named later.
TEST_F(PodmanRestarts, ARunThatBeginsAndEndsWhileFlowtapdIsAway) {
  start_daemon();
  make();
  ASSERT_TRUE(eventually([&] { return flow_called(*daemon_, run(1)).has_value(); }));
  go(0);
  end_daemon(SIGKILL);
  for (const unsigned start : {1U, 2U}) {
    again();
    go(start);
  }
  start_daemon();
  for (unsigned start = 0; start < 3; ++start) expect_run(start + 1, start);
  again();
  go(3);
  expect_run(4, 3);
}

// Its flow is gone, and its end is still told of it: the next run is another one, also where nobody counts.
TEST_F(PodmanRestarts, ARunOfWhichOnlyTheEndIsKnown) {
  start_daemon();
  make();
  ASSERT_TRUE(eventually([&] { return flow_called(*daemon_, run(1)).has_value(); }));
  go(0);
  EXPECT_TRUE(eventually([&] { return root_.read("state/ends").contains(run(1)); }));
  ASSERT_TRUE(has_ended(run(1)));
  end_daemon(SIGTERM);
  for (const auto& entry : std::filesystem::directory_iterator(root_.file("state/flows")))
    std::filesystem::remove_all(entry.path());
  again();
  go(1);
  DaemonOptions off = kCapturing;
  off.config += "telemetry: {enabled: false}\n";
  daemon_ = std::make_unique<Daemon>(root_, off);
  daemon_->wait_ready();
  expect_run(2, 1);
}

// The first run that flowtapd sees has no line of those before, which stand in the same file.
TEST_F(PodmanRestarts, RunsFromBeforeFlowtapd) {
  make();
  go(0);
  again();
  ASSERT_TRUE(eventually([&] { return podman_.log(id_).contains("early 1\n"); }));
  start_daemon();
  go(1);
  expect_run(1, 1);
  again();
  go(2);
  expect_run(2, 2);
  EXPECT_EQ(flowtap("logs again --stream stdout"), out_of(2));
  EXPECT_EQ(flowtap("logs again -p --stream stdout"), out_of(1));
}

// kubelet makes a container with a new id for each start, and the CRI writes a new N.log.
TEST(Restarts, ThePodsContainerIsMadeAnew) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kStarts = 3;
  for (unsigned start = 0; start < kStarts; ++start) {
    const std::string go = "go" + std::to_string(start);
    const auto container = containerd.start({.id = container_id("crash-" + std::to_string(start)),
                                             .command = shell_after(go, kWriteOwnLines + "; exit 1"),
                                             .annotations = cri_annotations("shop", "crash-0", kPod, "main"),
                                             .restart = start});
    const std::string id = std::string("pod/shop/crash-0/") + kPod + "/main/" + std::to_string(start);
    FollowedFlow followed(daemon, id);
    let_go(root, go);
    EXPECT_EQ(container->wait(), 1) << container->last_words();
    const FlowSeen flow = followed.expect(lines_of(start, false), lines_of(start, true));
    EXPECT_EQ(flow.id, id);
    EXPECT_EQ(flow.restart, start);
  }
  EXPECT_EQ(flows_of(daemon, "?pod=crash-0").size(), kStarts);
}

}  // namespace
}  // namespace flowtap::test
