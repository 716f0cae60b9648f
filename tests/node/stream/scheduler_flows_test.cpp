// What schedulers write, log by log as real ones wrote it, into the flows of the pods that it is about.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

/// Of the logs of which it is known what their flows are.
std::vector<std::string> log_names(const fs::path& golden) {
  std::set<std::string> names;
  std::ifstream rows(golden / "flows.tsv");
  for (std::string file, flow, records, size; rows >> file >> flow >> records >> size;)
    if (file.ends_with(".log")) names.insert(fs::path(file).stem().string());
  return {names.begin(), names.end()};
}

/// Bytes of each flow, of all logs of golden/scheduler together.
std::map<std::string, std::size_t> counted(const fs::path& golden) {
  std::map<std::string, std::size_t> bytes;
  std::ifstream rows(golden / "flows.tsv");
  for (std::string file, flow, records, size; rows >> file >> flow >> records >> size;)
    if (flow != "-") bytes["sched/" + flow] += std::stoul(size);
  return bytes;
}

// A pod's name has no dot behind a dot, and no capitals; these names have neither.
std::string pod_of(const std::string& log, const char* how) {
  return "kube-scheduler-" + log + "-" + how;
}

// Each log by two schedulers, all of them at once: as fast as cat can, and at the log's own pace, which is each record in one
// write and when its time says. Logs of more than 20 s are quickened to that, all pauses of one by the same factor.
TEST(SchedulerFlows, EachLogAtFullSpeedAndAtItsOwnPace) {
  const ScratchRoot root;
  Containerd containerd(root);
  const fs::path golden = fs::path(FLOWTAP_GOLDEN_DIR) / "scheduler";
  const std::vector<std::string> names = log_names(golden);
  ASSERT_FALSE(names.empty());
  const std::string main_log = root.file("main.log");
  Daemon daemon(root, {.stream = true, .sources = "main_log: " + main_log});
  daemon.wait_ready();

  std::vector<std::unique_ptr<Process>> running;
  for (const std::string& name : names) {
    fs::copy_file(golden / (name + ".log"), root.file("busybox/" + name));
    const auto start = [&](const char* how, std::vector<std::string> command) {
      running.push_back(containerd.start(
          {.id = container_id(std::to_string(running.size())),
           .command = std::move(command),
           .annotations = cri_annotations("kube-system", pod_of(name, how), kPod, "kube-scheduler")}));
    };
    start("fast", shell("exec cat /" + name + " >&2"));
    start("paced", {"log_writer", "paced", "/" + name});
  }
  // All of them begin at once.
  for (const auto& process : running) EXPECT_EQ(process->wait(4 * kPatience), 0);

  for (const std::string& name : names)
    for (const char* how : {"fast", "paced"}) {
      SCOPED_TRACE(pod_of(name, how));
      const auto flow = ended_flow(daemon, "pod/kube-system/" + pod_of(name, how) + "/");
      ASSERT_TRUE(flow);
      EXPECT_EQ(flow->missing, 0U);
      expect_stream(daemon, *flow, "stderr", root.read("busybox/" + name));
    }

  std::map<std::string, std::size_t> expected;
  for (const auto& [flow, bytes] : counted(golden)) expected[flow] = 2 * bytes;
  std::map<std::string, std::size_t> seen;
  EXPECT_TRUE(eventually([&] {
    seen.clear();
    for (const FlowSeen& flow : flows_of(daemon, "?kind=sched"))
      if (flow.id != "sched/main") seen[flow.id] = log_text(daemon, flow.id).size();
    return seen == expected;
  }));
  for (const auto& [flow, bytes] : expected) EXPECT_EQ(seen[flow], bytes) << flow;
  EXPECT_EQ(seen.size(), expected.size());

  // How a log came changes nothing of what people read: each of its lines is there as often from the one as from the other.
  const std::string main = log_text(daemon, "sched/main");
  EXPECT_TRUE(eventually([&] { return root.read("main.log").size() == main.size(); }));
  std::map<std::string, int> lines;
  std::istringstream in(main);
  for (std::string line; std::getline(in, line);) ++lines[line];
  for (const auto& [line, times] : lines) EXPECT_EQ(times % 2, 0) << line;
}

}  // namespace
}  // namespace flowtap::test
