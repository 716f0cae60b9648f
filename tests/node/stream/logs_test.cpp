// Logs as people read them: flowtap logs over real containers, from the first line to the last.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/scheduler_golden.hpp"

namespace flowtap::test {
namespace {

class Logs : public testing::Test {
 protected:
  std::unique_ptr<Process> start(const std::string& name, const std::vector<std::string>& arguments) {
    return start_logs(root_, name, arguments);
  }
  std::string logs(const std::vector<std::string>& arguments, int status = 0) {
    const std::string name = "logs" + std::to_string(++runs_);
    EXPECT_EQ(start(name, arguments)->wait(), status) << root_.read(name + ".err");
    return root_.read(status == 0 ? name : name + ".err");
  }

  ScratchRoot root_;
  int runs_ = 0;
};

TEST_F(Logs, OfAPodByItsName) {
  Containerd containerd(root_);
  Daemon daemon(root_, kCapturing);
  daemon.wait_ready();
  const std::string script = "for i in 1 2 3 4 5; do echo line $i; done; echo problem >&2; printf end";
  EXPECT_EQ(containerd.run({.id = container_id("app"),
                            .command = shell(script),
                            .annotations = cri_annotations("shop", "web-0", kPod, "app")}),
            0);
  ASSERT_TRUE(ended_flow(daemon, "pod/shop/web-0/"));
  // The shim copies two pipes, each by itself, so it is not known which output's last line was read first.
  std::string both;
  ASSERT_TRUE(eventually([&] {
    both = logs({"shop/web-0"});
    return both.find("end") != std::string::npos && both.find("problem\n") != std::string::npos;
  })) << both;
  EXPECT_EQ(logs({"shop/web-0", "--stream", "stdout"}), "line 1\nline 2\nline 3\nline 4\nline 5\nend");
  EXPECT_EQ(logs({"shop/web-0", "--stream", "stderr"}), "problem\n");
  EXPECT_EQ(logs({"shop/web-0", "-c", "app", "--since", "1h", "--stream", "stderr"}), "problem\n");
  EXPECT_EQ(logs({"shop/web-0", "--tail", "0"}), "");
  const std::string json = logs({"shop/web-0", "-o", "json", "--stream", "stderr"});
  EXPECT_TRUE(json.starts_with(R"({"time":"20)")) << json;
  EXPECT_TRUE(json.ends_with("Z\",\"text\":\"problem\"}\n")) << json;
  EXPECT_NE(logs({"shop/web-0", "-c", "db"}, 1).find("container db is not valid for pod web-0"),
            std::string::npos);
  EXPECT_NE(logs({"shop/gone"}, 3).find("no log of the pod \"shop/gone\" is known on this node"),
            std::string::npos);
  EXPECT_NE(logs({"web-0"}, 3).find("no log of a container or unit \"web-0\" is known on this node"),
            std::string::npos);
  EXPECT_NE(logs({"shop/web-0", "--previous"}, 1).find("previous terminated container"), std::string::npos);
}

// containerd drops "\r" before a newline, so kubectl shows none; podman keeps it, and shows it. flowtap shows what they show, and
// its raw bytes are those that were written.
TEST_F(Logs, ReturnsBeforeNewlinesAreAsTheRuntimeShowsThem) {
  Containerd containerd(root_);
  Podman podman(root_);
  Daemon daemon(root_, kCapturing);
  daemon.wait_ready();
  const std::string script = R"(printf 'win\r\n\r\na\rb\r\r\nend\n')";
  const std::string written = "win\r\n\r\na\rb\r\r\nend\n";
  EXPECT_EQ(containerd.run({.id = container_id("win"),
                            .command = shell(script),
                            .annotations = cri_annotations("shop", "win-0", kPod, "app")}),
            0);
  EXPECT_EQ(podman.run({.name = "win", .command = shell(script)}), 0);
  const auto pod = ended_flow(daemon, "pod/shop/win-0/");
  const auto container = ended_flow(daemon, "container/win-");
  ASSERT_TRUE(pod && container);
  EXPECT_EQ(logs({"shop/win-0"}), "win\n\na\rb\r\nend\n");
  EXPECT_EQ(logs({container->id}), written);
  EXPECT_EQ(raw_bytes(daemon, pod->id), written);
  EXPECT_EQ(raw_bytes(daemon, container->id), written);
}

// A follower that begins in the middle gets each line once, in order, to the container's end.
TEST_F(Logs, FollowsARunningContainerToItsEnd) {
  Containerd containerd(root_);
  Daemon daemon(root_, kCapturing);
  daemon.wait_ready();
  constexpr unsigned kLines = 100'000;
  const auto container = containerd.start(
      {.id = container_id("followed"),
       .command = shell("for i in 0 1 2 3 4 5 6 7 8 9; do log_writer write ${i}0000 10000; "
                        "[ $i = 4 ] && until [ -e /go ] || [ ! -e /bin ]; do sleep 0.1; done; done; exit 0"),
       .annotations = cri_annotations("shop", "followed-0", kPod, "main")});
  const std::string wanted = writer_lines(0, kLines);
  const std::size_t half = writer_lines(0, kLines / 2).size();
  ASSERT_TRUE(eventually([&] {
    const auto flows = flows_of(daemon, "?pod=followed-0");
    return !flows.empty() && flows.front().bytes >= half;
  }));
  const auto whole = start("whole", {"shop/followed-0", "-f"});
  // The daemon's count is ahead of the lines. Only a reader that has them knows that they are there.
  ASSERT_TRUE(eventually([&] { return root_.read("whole").size() == half; }));
  const std::size_t last = writer_lines(0, kLines / 2 - 1).size();
  const auto tail = start("tail", {"shop/followed-0", "-f", "--tail", "1"});
  ASSERT_TRUE(eventually([&] { return root_.read("tail").size() == half - last; }));
  let_go(root_, "go");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  EXPECT_EQ(whole->wait(), 0);
  EXPECT_EQ(tail->wait(), 0) << tail->last_words();
  EXPECT_EQ(difference(root_.read("whole"), wanted), "");
  EXPECT_EQ(difference(root_.read("tail"), wanted.substr(last)), "");
}

// A scheduler at a high -v: the lines of each pod apart, and a log that people can read.
TEST_F(Logs, OfASchedulerByPod) {
  Containerd containerd(root_);
  const std::string file = "kube-scheduler-v10.log";
  root_.write("busybox/log", scheduler_log(file));
  Daemon daemon(root_, {.stream = true, .sources = "main_log: " + root_.file("main.log")});
  daemon.wait_ready();
  for (const char* ns : {"tenant", "kube-system"})
    EXPECT_EQ(
        containerd.run({.id = container_id(ns),
                        .command = shell(until_read("cat /log >&2")),
                        .annotations = cri_annotations(ns, "kube-scheduler-a", kPod, "kube-scheduler")}),
        0);
  ASSERT_TRUE(ended_flow(daemon, "pod/kube-system/kube-scheduler-a/"));
  std::map<std::string, std::string> expected;
  for (const GoldenPart& part : golden_flows())
    if (part.file == file && part.flow != "-") expected["sched/" + part.flow] = part.text;
  for (const GoldenPart& part : golden_main_logs())
    if (part.file == file) expected["sched/main"] = part.text;
  ASSERT_GT(expected.size(), 1U);
  std::map<std::string, std::string> seen;
  EXPECT_TRUE(eventually([&] {
    seen.clear();
    for (const FlowSeen& flow : flows_of(daemon, "?kind=sched")) seen[flow.id] = log_text(daemon, flow.id);
    return seen == expected;
  })) << "and a tenant who calls his pod so changes nothing";
  for (const auto& [flow, text] : expected) EXPECT_EQ(difference(seen[flow], text), "") << flow;
  EXPECT_EQ(logs({"kube-system/kube-scheduler-a"}), root_.read("busybox/log"));
  EXPECT_EQ(logs({"sched/main"}), expected["sched/main"]);
  EXPECT_TRUE(eventually([&] { return root_.read("main.log") == expected["sched/main"]; }));
}

}  // namespace
}  // namespace flowtap::test
