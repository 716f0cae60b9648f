// What is kept of flows if there is not room for all: exactly the newest, in whole lines, and each bound counts what it has cost.
// And what becomes of flows if the file system fails: followers and the main log miss nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "stream/store/file_name.hpp"
#include "tests/node/daemon/surroundings.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/swift_runtime.hpp"
#include "tests/support/files/failing_file_system.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNamespace = "bounds";  // no other test uses it

void remove_all_below(const std::string& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) fs::remove_all(entry);
}

std::string flow_id(unsigned number) {
  return fmt::format("pod/{}/job-{}/{}/main/0", kNamespace, number, kPod);
}

class FlowBounds : public testing::Test {
 protected:
  void start(const std::string& room) {
    DaemonOptions options = kCapturing;
    options.room = room;
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
  }
  // Runs one after the other, each with this many lines.
  void run(unsigned count, unsigned lines) {
    std::vector<SwiftRuntime::Container> all;
    for (unsigned i = 0; i < count; ++i) {
      const std::string pod = fmt::format("job-{}", i);
      all.push_back({.id = container_id(fmt::format("bounds-{:04}", i)),
                     .argv = {paths::log_writer(), "write", "0", std::to_string(lines)},
                     .annotations = cri_annotations(kNamespace, pod, kPod, "main"),
                     .log_directory = pod_log_directory(kNamespace, pod, kPod)});
    }
    SwiftRuntime runtime(root_, kPod);
    for (const auto& life : runtime.run(all, 1)) ASSERT_EQ(difference(life.out, writer_lines(0, lines)), "");
  }
  [[nodiscard]] std::string kept_in_file(unsigned number) const {
    return logged_bytes(root_.read("state/flows/" + flow::flow_file_name(flow_id(number))), "stdout");
  }
  // The first one that has a file; `count`: none has.
  [[nodiscard]] unsigned oldest_kept(unsigned count) const {
    unsigned i = 0;
    while (i < count && !fs::exists(root_.file("state/flows/" + flow::flow_file_name(flow_id(i))))) ++i;
    return i;
  }
  [[nodiscard]] double evicted(const char* what, const char* reason) const {
    return daemon_->settled_stats().series.at(fmt::format("flowtap_{}_total{{reason=\"{}\"}}", what, reason));
  }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(FlowBounds, OfOneFlowTheNewestLines) {
  constexpr unsigned kLines = 20'000;
  constexpr std::uint64_t kBound = 256U << 10U;
  start(fmt::format("flow_bytes: {}", kBound));
  run(1, kLines);
  const std::string wanted = writer_lines(0, kLines);
  std::string kept;
  EXPECT_TRUE(eventually([&] { return (kept = kept_in_file(0)).ends_with(writer_lines(kLines - 1, 1)); }));
  EXPECT_TRUE(wanted.ends_with("\n" + kept)) << "whole lines, and no other";
  EXPECT_LE(fs::file_size(root_.file("state/flows/" + flow::flow_file_name(flow_id(0)))), kBound);
  EXPECT_GE(kept.size(), kBound / 8);
  EXPECT_EQ(difference(log_text(*daemon_, flow_id(0), "stdout"), wanted), "") << "the journal has the rest";
  const auto logs = [&](const std::vector<std::string>& arguments) {
    const std::string name = fmt::format("logs-{}", arguments.size());
    EXPECT_EQ(start_logs(root_, name, arguments)->wait(), 0);
    EXPECT_EQ(root_.read(name + ".err"), "");
    return root_.read(name);
  };
  EXPECT_EQ(difference(logs({std::string(kNamespace) + "/job-0"}), wanted), "");
  EXPECT_EQ(logs({flow_id(0), "--tail", "15000"}), writer_lines(kLines - 15'000, 15'000));
  EXPECT_GT(evicted("flow_evicted_bytes", "flow_bytes"), 0);
  EXPECT_EQ(evicted("flows_evicted", "flow_bytes"), 0) << "the flow itself is kept";
}

// Neither the store nor the journal nor a runtime has the beginning any more.
TEST_F(FlowBounds, OfOneFlowTheBeginningThatIsGoneIsTold) {
  constexpr unsigned kLines = 250'000;
  start("flow_bytes: 262144, journal_bytes: 8388608");
  run(1, kLines);
  ASSERT_TRUE(ended_flow(*daemon_, flow_id(0)));
  const std::string wanted = writer_lines(0, kLines);
  EXPECT_TRUE(eventually([&] { return kept_in_file(0).ends_with(writer_lines(kLines - 1, 1)); }));
  const auto logs = [&](const std::vector<std::string>& arguments) {
    const std::string name = fmt::format("logs-{}", arguments.size());
    EXPECT_EQ(start_logs(root_, name, arguments)->wait(), 0);
    return root_.read(name);
  };
  const std::string got = logs({std::string(kNamespace) + "/job-0"});
  const std::string mark = "[flowtap: ";
  ASSERT_TRUE(got.starts_with(mark)) << got.substr(0, 200);
  const std::size_t missing = std::stoull(got.substr(mark.size()));
  EXPECT_EQ(
      got.substr(0, got.find('\n') + 1),
      fmt::format("[flowtap: {} bytes are missing here: they had to make room for newer ones]\n", missing));
  const std::string rest = got.substr(got.find('\n') + 1);
  EXPECT_EQ(missing + rest.size(), wanted.size()) << "to the byte";
  EXPECT_TRUE(wanted.ends_with(rest));
  EXPECT_GT(rest.size(), std::size_t{1} << 20U) << "all that the journal still has";
  EXPECT_TRUE(root_.read("logs-1.err").ends_with(" bytes of this log are missing\n"))
      << root_.read("logs-1.err");
  EXPECT_TRUE(logs({flow_id(0), "-o", "json"})
                  .contains(fmt::format("\"missing_bytes\":{},\"cause\":\"made_room\"", missing)));
  // Clients of Kubernetes' own route get the container's bytes alone.
  const auto path = fmt::format("/api/v1/namespaces/{}/pods/job-0/log", kNamespace);
  const HttpAnswer answer = get_unix(daemon_->socket(), path);
  EXPECT_EQ(difference(answer.body, rest), "");
  EXPECT_TRUE(answer.headers.contains(fmt::format("X-Flowtap-Missing-Bytes: {}", missing))) << answer.headers;
}

TEST_F(FlowBounds, OfAllFlowsThoseThatEndedLast) {
  constexpr unsigned kFlows = 24;
  constexpr unsigned kLines = 10'000;                       // about a megabyte in the CRI's format
  start("flows_bytes: 67108864, journal_bytes: 50331648");  // so that the journal has room for all
  run(kFlows, kLines);
  const std::string wanted = writer_lines(0, kLines);
  // The last flow need not be the last one to be whole.
  EXPECT_TRUE(eventually([&] {
    for (unsigned i = oldest_kept(kFlows); i < kFlows; ++i)
      if (kept_in_file(i) != wanted) return false;
    return kept_in_file(kFlows - 1) == wanted;
  }));
  const unsigned oldest = oldest_kept(kFlows);
  EXPECT_GT(oldest, 0U) << "there was not room for all";
  EXPECT_LT(oldest, kFlows - 3);
  for (unsigned i = 0; i < kFlows; ++i)
    EXPECT_EQ(difference(kept_in_file(i), i < oldest ? "" : wanted), "") << i;
  EXPECT_GE(evicted("flows_evicted", "store_bytes"), oldest);
}

// This holds even if nothing else happens that would make flowtapd look.
TEST_F(FlowBounds, OfEndedFlowsTheYoung) {
  constexpr unsigned kFlows = 20;
  start("max_age: 1s");
  run(kFlows, 10);
  EXPECT_TRUE(eventually([&] {
    for (unsigned i = 0; i < kFlows; ++i)
      if (fs::exists(root_.file("state/flows/" + flow::flow_file_name(flow_id(i))))) return false;
    return evicted("flows_evicted", "age") >= kFlows;
  }));
}

TEST_F(FlowBounds, AreShownAsTheyAreEnforced) {
  start(
      "flows_bytes: 67108864, journal_bytes: 50331648, flow_bytes: 65536, max_flows: 77, max_buffers: 33, "
      "buffer_bytes: 32768, buffers_bytes: 131072, max_age: 90m, flush_idle: 50ms");
  std::map<std::string, double> limits;
  for (const auto& [name, value] : daemon_->settled_stats().series)
    if (name.starts_with("flowtap_flow_limit")) limits[name] = value;
  const std::map<std::string, double> wanted{
      {R"(flowtap_flow_limit_bytes{bound="flow_bytes"})", 65'536},
      {R"(flowtap_flow_limit_bytes{bound="store_bytes"})", 67'108'864 - 50'331'648 - 67'108'864 / 32},
      {R"(flowtap_flow_limit_bytes{bound="journal_bytes"})", 50'331'648},
      {R"(flowtap_flow_limit_bytes{bound="buffer_bytes"})", 32'768},
      {R"(flowtap_flow_limit_bytes{bound="buffers_bytes"})", 131'072},
      {R"(flowtap_flow_limit{bound="flows"})", 77},
      {R"(flowtap_flow_limit{bound="buffers"})", 33},
      {R"(flowtap_flow_limit_seconds{bound="age"})", 5'400},
      {R"(flowtap_flow_limit_seconds{bound="idle"})", 0.05}};
  EXPECT_EQ(limits, wanted);
}

// A scheduler that writes parts and is followed, and its readable main log.
class FlowsInTrouble : public testing::Test {
 protected:
  static constexpr unsigned kParts = 4;
  static constexpr unsigned kLines = 2000;  // of a part

  explicit FlowsInTrouble(std::function<void()> before_exec = {}) : containerd_(root_) {
    for (unsigned part = 0; part < kParts; ++part) {
      std::string text;
      for (unsigned i = 0; i < kLines; ++i)
        text += fmt::format("I1122 10:00:00.000000       1 own.go:7] \"Something of our own\" n={}\n",
                            part * kLines + i);
      std::ofstream(root_.file(fmt::format("busybox/part{}", part))) << text;
      parts_.push_back(text);
    }
    DaemonOptions options = kCapturing;
    options.sources = "flush_idle: 50ms, buffer_bytes: 1048576, buffers_bytes: 33554432, main_log: " +
                      root_.file("main.log");
    options.before_exec = std::move(before_exec);
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
    container_ = containerd_.start(
        {.id = container_id("scheduler"),
         .command = shell("for i in 0 1 2 3; do until [ -e /go$i ] || [ ! -e /bin ]; do sleep 0.1; done; "
                          "cat /part$i; done; until [ -e /end ] || [ ! -e /bin ]; do sleep 0.1; done"),
         .annotations = cri_annotations("kube-system", "kube-scheduler-a", kPod, "kube-scheduler")});
    follower_ = std::make_unique<LogFollower>(*daemon_, root_, "kube-system/kube-scheduler-a");
  }

  // Lets the next part be written, and waits until the follower and the main log have it.
  void go_on() {
    let_go(root_, fmt::format("go{}", part_));
    wanted_ += parts_.at(part_++);
    ASSERT_TRUE(follower_->gets(wanted_.size()));
    ASSERT_TRUE(eventually([&] { return root_.read("main.log").size() >= wanted_.size(); }));
  }
  // What is kept of it in the flow's file.
  [[nodiscard]] std::string kept() const {
    const std::string id = std::string("pod/kube-system/kube-scheduler-a/") + kPod + "/kube-scheduler/0";
    return logged_bytes(root_.read("state/flows/" + flow::flow_file_name(id)), "stdout");
  }
  [[nodiscard]] bool keeps(const std::string& text) const {
    return eventually([&] { return kept().ends_with(text); });
  }
  // How many writes of the journal and of flows have failed.
  [[nodiscard]] double errors() const {
    double sum = 0;
    for (const auto& [name, value] : daemon_->settled_stats().series)
      if (name.starts_with("flowtap_journal_write_errors_total") ||
          name.starts_with("flowtap_flow_write_errors_total"))
        sum += value;
    return sum;
  }
  [[nodiscard]] double made_room() const {
    const auto stats = daemon_->settled_stats();
    return stats.series.at("flowtap_flow_evicted_bytes_total{reason=\"store_bytes\"}") +
           stats.series.at("flowtap_journal_evicted_bytes_total");
  }
  // Expects all of it, whatever happened meanwhile.
  void expect_all() {
    while (part_ < kParts) go_on();
    // A shim gives up what it has not read two seconds after its container's end, so the container ends when all is read.
    let_go(root_, "end");
    EXPECT_EQ(container_->wait(), 0);
    EXPECT_EQ(difference(containerd_.out(container_id("scheduler")), wanted_), "") << "what the runtime has";
    EXPECT_EQ(follower_->wait(), 0) << follower_->complaint();
    EXPECT_EQ(difference(follower_->text(), wanted_), "");
    EXPECT_EQ(difference(root_.read("main.log"), wanted_), "");
    EXPECT_TRUE(keeps(parts_.back())) << "it is written again";
    EXPECT_TRUE(wanted_.ends_with(kept())) << "the newest";
    const auto flow = ended_flow(*daemon_, "pod/kube-system/kube-scheduler-a/");
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->missing, 0U);
    EXPECT_FALSE(flow->suspect);
    EXPECT_EQ(daemon_->settled_stats().series.at("flowtap_main_log_lost_bytes_total"), 0);
  }

  ScratchRoot root_;
  Containerd containerd_;
  std::vector<std::string> parts_;
  std::unique_ptr<Daemon> daemon_;
  std::unique_ptr<Process> container_;
  std::unique_ptr<LogFollower> follower_;
  unsigned part_ = 0;
  std::string wanted_;
};

// The flows are in a plain directory, which others can cover and remove under flowtapd.
class PlainFlowsInTrouble : public FlowsInTrouble {
 protected:
  PlainFlowsInTrouble() : FlowsInTrouble(refusing_call(__NR_mount, EPERM)) {}
};

TEST_F(FlowsInTrouble, AFullFileSystem) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  const std::string others = daemon_->state_dir() + "/flows/others";
  {
    const Fd file(::open(others.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::vector<char> block(4096, 'x');
    while (::write(file.get(), block.data(), block.size()) > 0) continue;
    ASSERT_EQ(errno, ENOSPC);
  }
  go_on();
  // Either a write fails, or it finds room where older lines were.
  EXPECT_TRUE(eventually([&] { return errors() + made_room() > 0; }));
  go_on();
  ASSERT_TRUE(fs::remove(others));
  expect_all();
}

TEST_F(PlainFlowsInTrouble, AReadOnlyFileSystem) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  const std::string flows = daemon_->state_dir() + "/flows";
  // A file system with open files cannot become read-only, so this one is mounted above it.
  ASSERT_EQ(::mount(flows.c_str(), flows.c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount(nullptr, flows.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
  go_on();
  EXPECT_TRUE(eventually([&] { return errors() > 0; }));
  go_on();
  ASSERT_EQ(::umount2(flows.c_str(), MNT_DETACH), 0);
  expect_all();
  EXPECT_EQ(difference(kept(), wanted_), "") << "memory has held what could not be written";
}

// Files can be made, and cannot be written.
TEST_F(PlainFlowsInTrouble, EachWriteIsAnInputOutputError) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  {
    const std::string flows = daemon_->state_dir() + "/flows";
    const Fd below(::open(flows.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const FailingFileSystem failing(flows);
    if (!failing.mounted()) GTEST_SKIP() << "there is no FUSE here";
    // The journal's open file goes as well, so that a new one is begun, and fails.
    remove_all_below(fmt::format("/proc/self/fd/{}/", below.get()));
    go_on();
    EXPECT_TRUE(eventually([&] {
      const auto series = daemon_->settled_stats().series;
      return series.at("flowtap_journal_write_errors_total{cause=\"io\"}") > 0 &&
             series.at("flowtap_flow_write_errors_total{file=\"lines\"}") > 0;
    }));
    go_on();
  }
  expect_all();
  EXPECT_EQ(difference(kept(), wanted_.substr(parts_.front().size())), "") << "memory has held the rest";
}

TEST_F(FlowsInTrouble, AllFilesAreRemoved) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  remove_all_below(daemon_->state_dir() + "/flows");
  go_on();
  EXPECT_TRUE(keeps(parts_.at(1)));
  expect_all();
}

// An operator who cleans up by hand may do this. It is mounted again, and nothing is lost.
TEST_F(FlowsInTrouble, TheMountIsRemoved) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  ASSERT_EQ(::umount2((daemon_->state_dir() + "/flows").c_str(), MNT_DETACH), 0);
  go_on();
  EXPECT_TRUE(keeps(wanted_));
  expect_all();
  EXPECT_EQ(difference(kept(), wanted_), "");
}

TEST_F(PlainFlowsInTrouble, TheDirectoryIsRemoved) {
  go_on();
  ASSERT_TRUE(keeps(wanted_));
  const std::string flows = daemon_->state_dir() + "/flows";
  std::error_code busy;  // flowtapd writes meanwhile
  fs::remove_all(flows, busy);
  go_on();
  EXPECT_TRUE(keeps(parts_.at(1)));
  fs::remove_all(flows);
  expect_all();
}

}  // namespace
}  // namespace flowtap::test
