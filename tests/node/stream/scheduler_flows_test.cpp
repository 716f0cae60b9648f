// What schedulers write goes into the flows of the pods that it is about, and into one log that people read. The logs are real
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <vector>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/scheduler_golden.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// A log by its lines, and parts of it. It must have each line of each part, each part's lines in their order.
class Joined {
 public:
  void add(const std::string& part) {
    parts_.push_back(lines_of(part));
    all_.insert(all_.end(), parts_.back().begin(), parts_.back().end());
    std::ranges::sort(all_);
  }
  [[nodiscard]] bool is(const std::string& log) const {
    const Lines lines = lines_of(log);
    Lines sorted = lines;
    std::ranges::sort(sorted);
    return sorted == all_ && std::ranges::all_of(parts_, [&lines](const Lines& part) {
             auto next = part.begin();
             for (const std::string& line : lines)
               if (next != part.end() && *next == line) ++next;
             return next == part.end();
           });
  }

 private:
  std::vector<Lines> parts_;
  Lines all_;
};

// The names of the logs for which the flows are known.
std::set<std::string> log_names() {
  std::set<std::string> names;
  for (const GoldenPart& part : golden_flows()) names.insert(fs::path(part.file).stem().string());
  return names;
}

// The name of a pod has no two dots in a row, and no capitals. These names have neither.
std::string pod_of(const std::string& log, const char* how) {
  return "kube-scheduler-" + log + "-" + how;
}

std::map<std::string, std::string> scheduler_flows(const Daemon& daemon) {
  std::map<std::string, std::string> logs;
  for (const FlowSeen& flow : flows_of(daemon, "?kind=sched"))
    if (flow.id != "sched/main") logs[flow.id] = log_text(daemon, flow.id);
  return logs;
}

class SchedulerFlows : public testing::Test {
 protected:
  /// A scheduler of the default list that writes this file of the container's root.
  std::unique_ptr<Process> start(const std::string& id, const std::string& pod,
                                 std::vector<std::string> command) {
    return containerd_.start({.id = container_id(id),
                              .command = std::move(command),
                              .annotations = cri_annotations("kube-system", pod, kPod, "kube-scheduler")});
  }

  ScratchRoot root_;
  Containerd containerd_{root_};
};

// Two schedulers write each log, all of them at once. One writes as fast as cat can. The other keeps the log's own pace: each
// record is one write, and comes when its time says. Pauses of more than half a second are shortened to that.
TEST_F(SchedulerFlows, EachLogAtFullSpeedAndAtItsOwnPace) {
  const std::set<std::string> names = log_names();
  ASSERT_FALSE(names.empty());
  Daemon daemon(root_, {.stream = true, .sources = "main_log: " + root_.file("main.log")});
  daemon.wait_ready();

  std::vector<std::unique_ptr<Process>> running;
  for (const std::string& name : names) {
    root_.write("busybox/" + name, scheduler_log(name + ".log"));
    const auto begin = [&](const char* how, std::vector<std::string> command) {
      running.push_back(start(std::to_string(running.size()), pod_of(name, how), std::move(command)));
    };
    begin("fast", shell("exec cat /" + name + " >&2"));
    begin("paced", {"log_writer", "paced", "/" + name});
  }
  // All of them begin at once.
  for (const auto& process : running) EXPECT_EQ(process->wait(4 * kPatience), 0) << process->last_words();

  for (const std::string& name : names)
    for (const char* how : {"fast", "paced"}) {
      SCOPED_TRACE(pod_of(name, how));
      const auto flow = ended_flow(daemon, "pod/kube-system/" + pod_of(name, how) + "/");
      ASSERT_TRUE(flow);
      EXPECT_EQ(flow->missing, 0U);
      expect_stream(daemon, *flow, "stderr", root_.read("busybox/" + name));
    }

  std::map<std::string, Joined> expected;
  for (const GoldenPart& part : golden_flows())
    for (int twice = 0; part.flow != "-" && twice < 2; ++twice) expected["sched/" + part.flow].add(part.text);
  std::map<std::string, std::string> seen;
  EXPECT_TRUE(eventually([&] {
    seen = scheduler_flows(daemon);
    return seen.size() == expected.size() &&
           std::ranges::all_of(expected, [&](const auto& flow) { return flow.second.is(seen[flow.first]); });
  }));
  for (const auto& [flow, lines] : expected) EXPECT_TRUE(lines.is(seen[flow])) << flow;
  EXPECT_EQ(seen.size(), expected.size());

  Joined main;
  for (const GoldenPart& part : golden_main_logs())
    for (int twice = 0; twice < 2; ++twice) main.add(part.text);
  EXPECT_TRUE(eventually([&] { return main.is(log_text(daemon, "sched/main")); })) << "at V=2";
  EXPECT_TRUE(eventually([&] { return root_.read("main.log") == log_text(daemon, "sched/main"); }));
}

// In JSON each record says its own V.
std::string record(int v, const std::string& rest) {
  return R"({"ts":1795224037015.2,"caller":"a.go:1","msg":"m","v":)" + std::to_string(v) + rest + "}\n";
}

TEST_F(SchedulerFlows, TheMainLogOnStandardErrorAtAnotherVerbosityAndByOtherKeys) {
  Daemon daemon(
      root_, {.stream = true, .sources = "main_log: stderr, main_log_verbosity: 4, scheduler_keys: [pod]"});
  daemon.wait_ready();
  const std::string of_a = record(4, R"(,"pod":"ns/a")");
  const std::string of_b = record(5, R"(,"pod":{"name":"b","namespace":"ns"})");
  const std::string others = record(3, R"(,"logID":"ns/c")") + record(0, R"(,"object":"ns/d","kind":"Pod")");
  root_.write("busybox/log", of_a + of_b + others);
  EXPECT_EQ(start("verbose", "kube-scheduler-a", shell("exec cat /log >&2"))->wait(), 0);
  ASSERT_TRUE(ended_flow(daemon, "pod/kube-system/kube-scheduler-a/"));
  using Flows = std::map<std::string, std::string>;
  const Flows wanted{{"sched/ns/a", of_a}, {"sched/ns/b", of_b}};
  EXPECT_TRUE(eventually([&] { return scheduler_flows(daemon) == wanted; }));
  EXPECT_EQ(scheduler_flows(daemon), wanted) << "by the one key that is configured";
  EXPECT_EQ(log_text(daemon, "sched/main"), of_a + others);
  // The records stand among what flowtapd says itself, which is in whole lines, too.
  const auto main_log = [&daemon] {
    std::string all;
    for (const std::string& line : lines_of(daemon.err()))
      if (line.starts_with(R"({"ts")")) all += line;
    return all;
  };
  EXPECT_TRUE(eventually([&] { return main_log() == of_a + others; })) << daemon.err();
}

TEST_F(SchedulerFlows, TheMainLogsFileIsRotatedAsConfigured) {
  constexpr std::size_t kBytes = std::size_t{32} << 10U;
  const std::string main_log = root_.file("main.log");
  Daemon daemon(root_, {.stream = true,
                        .sources = "main_log: " + main_log + ", main_log_verbosity: 10, main_log_bytes: " +
                                   std::to_string(kBytes) + ", main_log_files: 3"});
  daemon.wait_ready();
  const std::string log = scheduler_log("kube-scheduler-v10.log");
  root_.write("busybox/log", log);
  EXPECT_EQ(start("much", "kube-scheduler-a", shell("exec cat /log >&2"))->wait(), 0);
  ASSERT_TRUE(ended_flow(daemon, "pod/kube-system/kube-scheduler-a/"));
  EXPECT_TRUE(eventually([&] { return log_text(daemon, "sched/main") == log; })) << "all of it is at most 10";
  const auto kept = [&] {
    return root_.read("main.log.2") + root_.read("main.log.1") + root_.read("main.log");
  };
  EXPECT_TRUE(eventually([&] { return log.ends_with(kept()) && kept().ends_with(lines_of(log).back()); }));
  EXPECT_GT(kept().size(), 2 * kBytes - kBytes / 2);
  for (const char* file : {"main.log", "main.log.1", "main.log.2"})
    EXPECT_LE(root_.read(file).size(), kBytes) << file;
  EXPECT_FALSE(fs::exists(main_log + ".3"));
}

}  // namespace
}  // namespace flowtap::test
