// One flowtapd goes on behind another with another state directory, while containers and a file are written to. Each byte is in one of
// the two directories, or the one that lacks it says so.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kPart = 500;
// Writes parts of numbered lines until it is told to stop, and then says how many.
const std::string kWriter =
    "i=0; while [ -e /bin ] && [ ! -e /stop ]; do log_writer write $((i * 500)) 500; sleep 0.05; i=$((i + "
    "1)); "
    "done; echo $i >/parts";
// Nothing but flowtapd has what they write.
const std::vector<std::string> kUnlogged = {"--log-driver=none"};

std::size_t common_prefix(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}
std::size_t common_suffix(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first -
                                  a.rbegin());
}

class Handover : public testing::Test {
 protected:
  Handover() : podman_(root_) {}
  ~Handover() override {
    daemon_.reset();
    for (const char* mounted : {"first/flows", "second/flows"})
      ::umount2(root_.file(mounted).c_str(), MNT_DETACH);
  }

  void start(const std::string& sources = {}) {
    DaemonOptions options = kCapturing;
    options.sources = sources;
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
  }
  void stop(int signal) {
    daemon_->signal(signal);
    EXPECT_EQ(daemon_->wait(), signal == SIGTERM ? 0 : 128 + signal) << daemon_->err();
    daemon_.reset();
  }
  /// The daemon's state directory becomes this one's, and the one before is kept as `before`.
  void change_state(const std::string& before, const std::string& next) {
    fs::rename(root_.file("state"), root_.file(before));
    if (fs::exists(root_.file(next))) fs::rename(root_.file(next), root_.file("state"));
  }
  [[nodiscard]] std::uint64_t captured(const std::string& flow) const {
    const auto seen = flow_called(*daemon_, flow);
    return seen ? seen->bytes - seen->missing : 0;
  }
  void wait_for_bytes(const std::string& flow) {
    const std::uint64_t before = captured(flow);
    ASSERT_TRUE(eventually([&] { return captured(flow) > before + 20'000; })) << daemon_->err();
  }
  [[nodiscard]] std::string started(const std::string& name, const std::string& script) {
    return "container/" + name + "-" +
           podman_.start({.name = name, .command = shell(script), .flags = kUnlogged}).substr(0, 12);
  }
  /// All that the writer has written, once it has ended.
  [[nodiscard]] std::string end_writer() {
    root_.write("busybox/stop", "");
    EXPECT_EQ(podman_.wait("one"), 0);
    return writer_lines(0, static_cast<unsigned>(std::stoul(root_.read("busybox/parts"))) * kPart);
  }
  void two_directories(int signal);

  ScratchRoot root_;
  Podman podman_;
  std::unique_ptr<Daemon> daemon_;
};

// What the first directory has is the beginning and the end of all. What it lacks in between is told, and is in the second one, which
// says how much went before.
void Handover::two_directories(int signal) {
  start();
  const std::string one = started("one", kWriter);
  const std::string brief =
      started("brief", "log_writer write 0 1; " + std::string("until [ -e /go ]; do sleep 0.1; done; ") +
                           "log_writer write 1 1");
  ASSERT_TRUE(eventually([&] { return captured(brief) == writer_lines(0, 1).size(); }));
  wait_for_bytes(one);
  stop(signal);
  // Nobody can say any more whose pipes these were when the next one begins.
  let_go(root_, "go");
  EXPECT_EQ(podman_.wait("brief"), 0);
  podman_.podman({"rm", "brief"});
  change_state("first", "second");
  start();
  const auto seen = ended_flow(*daemon_, brief);
  ASSERT_TRUE(seen) << daemon_->err();
  EXPECT_EQ(raw_bytes(*daemon_, brief, "stdout"), writer_lines(1, 1));
  EXPECT_EQ(seen->missing, writer_lines(0, 1).size());
  wait_for_bytes(one);
  stop(signal);
  change_state("second", "first");
  start();
  wait_for_bytes(one);
  const std::string all = end_writer();
  const auto first = ended_flow(*daemon_, one);
  ASSERT_TRUE(first);
  const std::string in_first = raw_bytes(*daemon_, one, "stdout");
  EXPECT_TRUE(
      eventually([&] { return in_first.size() + flow_called(*daemon_, one)->missing == all.size(); }));
  stop(SIGTERM);
  change_state("first", "second");
  start();
  const auto second = flow_called(*daemon_, one);
  ASSERT_TRUE(second);
  const std::string in_second = raw_bytes(*daemon_, one, "stdout");

  EXPECT_EQ(in_first.size() + first->missing, all.size());
  ASSERT_LE(second->missing + in_second.size(), all.size());
  const std::size_t begins = all.find(in_second);  // each line is there once
  ASSERT_NE(begins, std::string::npos) << difference(in_second, all.substr(second->missing));
  const std::size_t ends = begins + in_second.size();
  EXPECT_TRUE(second->missing == begins || second->missing == all.size() - in_second.size())
      << second->missing << " of " << all.size() << ": what went before " << begins
      << ", and, if its slot is still there, what came after " << ends;
  // The gap in the first one lies within what the second one has.
  EXPECT_LE(std::max(begins, in_first.size() - common_suffix(in_first, all)),
            std::min(common_prefix(in_first, all), ends - first->missing))
      << "the first has " << in_first.size() << " bytes and lacks " << first->missing << ", the second has "
      << begins << " to " << ends;
  // One that is killed between its journal and the ring leaves some bytes to both.
  if (signal == SIGTERM) {
    EXPECT_EQ(in_first.size() + in_second.size(), all.size());
  }
}

TEST_F(Handover, ToAnotherStateDirectoryAndBack) {
  two_directories(SIGTERM);
}

TEST_F(Handover, ToAnotherStateDirectoryByAKillAndBack) {
  two_directories(SIGKILL);
}

// It is emptied while no flowtapd runs. What was in it is told as missing, also of a container that stays silent.
TEST_F(Handover, ToAStateDirectoryThatWasEmptied) {
  start();
  const std::string one = started("one", kWriter);
  const std::string first_run =
      started("silent", "log_writer write 0 10; while [ -e /bin ]; do sleep 0.1; done");
  const std::uint64_t ten = writer_lines(0, 10).size();
  ASSERT_TRUE(eventually([&] { return captured(first_run) == ten; }));
  podman_.podman({"restart", "--time=0", "silent"});
  const std::string silent = first_run + "@2";  // its second run, also for who has not seen the first
  ASSERT_TRUE(eventually([&] { return captured(silent) == ten; }));
  wait_for_bytes(one);
  stop(SIGTERM);
  for (const auto& entry : fs::directory_iterator(root_.file("state/flows"))) fs::remove_all(entry.path());
  start();
  EXPECT_TRUE(eventually([&] {
    const auto seen = flow_called(*daemon_, silent);
    return seen && seen->missing == ten;
  })) << "nothing of it is here, and it is told without another byte";
  EXPECT_TRUE(eventually([&] {
    const auto answer = start_logs(root_, "silent.log", {silent});
    return answer->wait() == 0 && root_.read("silent.log").contains("another state directory was in use");
  })) << root_.read("silent.log");
  EXPECT_TRUE(daemon_->err().contains("with this one before it was emptied")) << daemon_->err();
  podman_.podman({"restart", "--time=0", "silent"});
  EXPECT_TRUE(eventually([&] { return captured(first_run + "@3") == ten; })) << "runs are numbered on";
  wait_for_bytes(one);
  const std::string all = end_writer();
  const auto seen = ended_flow(*daemon_, one);
  ASSERT_TRUE(seen);
  EXPECT_GT(seen->missing, 0U);
  EXPECT_EQ(difference(raw_bytes(*daemon_, one, "stdout"), all.substr(seen->missing)), "");
  EXPECT_EQ(seen->bytes, all.size());
}

// A copy of it takes its place that was made earlier: the journal is behind what is pinned.
TEST_F(Handover, ToAnOlderCopyOfTheStateDirectory) {
  start();
  const std::string one = started("one", kWriter);
  wait_for_bytes(one);
  stop(SIGTERM);
  const std::string flows = root_.file("state/flows");
  fs::copy(flows, root_.file("copy"), fs::copy_options::recursive);
  start();
  wait_for_bytes(one);
  stop(SIGTERM);
  for (const auto& entry : fs::directory_iterator(flows)) fs::remove_all(entry.path());
  fs::copy(root_.file("copy"), flows, fs::copy_options::recursive);
  start();
  wait_for_bytes(one);
  const std::string all = end_writer();
  const auto seen = ended_flow(*daemon_, one);
  ASSERT_TRUE(seen);
  const std::string got = raw_bytes(*daemon_, one, "stdout");
  EXPECT_GT(seen->missing, 0U);
  EXPECT_EQ(got.size() + seen->missing, all.size());
  EXPECT_GE(common_prefix(got, all) + common_suffix(got, all), got.size()) << "it is not all with one gap";
}

// While nothing is pinned nobody captures, so nobody has counted what was written then.
TEST_F(Handover, BehindAnEndOfAllCaptureTheFlowIsSuspectAndSaysWhere) {
  const std::string mark = "[flowtap: bytes may be missing here: the capture broke off";
  start();
  const std::string one = started("one", kWriter);
  const std::string brief = started("brief", "log_writer write 0 1");
  ASSERT_TRUE(ended_flow(*daemon_, brief)) << daemon_->err();
  wait_for_bytes(one);
  // On kernels that preempt, the programs may have missed events of both, which makes them suspect as well.
  const bool has_missed = flow_called(*daemon_, one)->suspect;
  stop(SIGTERM);
  const std::string config = root_.write("detach.yaml", "stream: {bpffs: " + root_.file("bpffs") + "}\n");
  ASSERT_EQ(run_flowtapd(root_, {"--detach", "--host-root", root_.path(), "--config", config}).status, 0);
  for (const char* start_is : {"the first", "another"}) {
    SCOPED_TRACE(start_is);
    start();
    wait_for_bytes(one);
    EXPECT_TRUE(flow_called(*daemon_, one)->suspect);
    EXPECT_TRUE(has_missed || !flow_called(*daemon_, brief)->suspect) << "it had ended before";
    const std::string path = log_path(flow_called(*daemon_, one)->id, "stdout") + "&gaps=true";
    const std::string log = get_unix(daemon_->socket(), path).body;
    const std::size_t at = log.find(mark);
    ASSERT_NE(at, std::string::npos) << log.substr(0, 1000);
    EXPECT_EQ(log.find(mark, at + 1), std::string::npos) << "it is there once";
    std::string before = log.substr(0, at);
    if (const std::string cut = " [flowtap: cut]\n"; before.ends_with(cut))
      before.resize(before.size() - cut.size());
    EXPECT_TRUE(are_writer_lines(before) || has_missed)
        << before.substr(before.size() - std::min<std::size_t>(before.size(), 200));
    EXPECT_NE(log.find('\n', log.find('\n', at) + 1), std::string::npos) << "and the lines go on";
    stop(SIGTERM);
  }
  root_.write("busybox/stop", "");
  EXPECT_EQ(podman_.wait("one"), 0);
}

// A file has what nobody captured, so nothing of it is missing in both.
TEST_F(Handover, OfAFollowedFile) {
  const std::string sources = "files: [/x.log]";
  const std::string flow = "file/x.log";
  std::ofstream file(root_.file("x.log"), std::ios::app);
  std::string all;
  const auto write = [&](unsigned first) {
    file << writer_lines(first, 100) << std::flush;
    all += writer_lines(first, 100);
  };
  start(sources);
  write(0);
  ASSERT_TRUE(eventually([&] { return captured(flow) == all.size(); }));
  const std::size_t had = all.size();
  stop(SIGTERM);
  write(100);
  change_state("first", "second");
  start(sources);
  write(200);
  EXPECT_TRUE(eventually([&] { return raw_bytes(*daemon_, flow) == all.substr(had); }))
      << difference(raw_bytes(*daemon_, flow), all.substr(had));
  EXPECT_EQ(flow_called(*daemon_, flow)->missing, had);
  stop(SIGKILL);
  write(300);
  change_state("second", "first");
  start(sources);
  EXPECT_TRUE(eventually([&] { return raw_bytes(*daemon_, flow) == all; }))
      << difference(raw_bytes(*daemon_, flow), all);
}

}  // namespace
}  // namespace flowtap::test
