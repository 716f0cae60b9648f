// flowtapd below a real memory limit: what auto takes fits, too much is told, and after it was killed for want of memory it starts
// again.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/node/stream/captured.hpp"
#include "tests/support/daemon/memory_limit.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
const std::string kFlow = "file/log/x.log";

class BelowALimit : public testing::Test {
 protected:
  BelowALimit() { std::filesystem::create_directory(root_.file("log")); }

  Daemon& start(const std::string& room) {
    DaemonOptions options = kCapturing;
    options.sources = "files: [/log/x.log]";
    options.room = room;
    options.before_exec = [this] { cgroup_.join(); };
    daemon_ = std::make_unique<Daemon>(root_, options);
    return daemon_->wait_ready();
  }
  void write(std::uint64_t bytes) const {
    std::ofstream log(root_.file("log/x.log"), std::ios::app);
    const std::string line = std::string(1023, 'x') + "\n";
    for (std::uint64_t written = 0; written < bytes; written += line.size()) log << line;
  }
  [[nodiscard]] std::uint64_t number(const char* section, const char* member) const {
    return daemon_->status().at("stream").at(section).at(member).to_number<std::uint64_t>();
  }
  // A process that is killed for it.
  void take_all_memory() const {
    const pid_t child = ::fork();
    if (child == 0) {
      cgroup_.join();
      void* const all =
          ::mmap(nullptr, 200 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(all, 1, 200 * kMiB);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    for (const FlowSeen& flow : flows_of(*daemon_))
      if (flow.id == kFlow) return flow.bytes;
    return 0;
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return daemon_->err().find(text) != std::string::npos;
  }

  ScratchRoot root_;
  MemoryCgroup cgroup_{160 * kMiB};
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(BelowALimit, WhatAutoTakesFitsHoweverMuchIsWritten) {
  start("flow_bytes: 16777216");
  EXPECT_TRUE(says("stream.ring_bytes: ") && says(" (auto)")) << daemon_->err();
  EXPECT_TRUE(says("160 MiB")) << daemon_->err();
  EXPECT_LE(number("ring", "bytes"), 64 * kMiB);
  write(300 * kMiB);
  EXPECT_TRUE(eventually([this] {
    for (const FlowSeen& flow : flows_of(*daemon_))
      if (flow.id == kFlow && flow.bytes >= 300 * kMiB) return true;
    return false;
  })) << daemon_->err();
  EXPECT_TRUE(daemon_->running()) << daemon_->err();
  EXPECT_EQ(cgroup_.kills(), 0U);
}

// It would be killed, and again after each start.
TEST_F(BelowALimit, SizesThatDoNotFitAreToldAndFlowsAreKeptToWhatFits) {
  start("ring_bytes: 33554432, flows_bytes: 268435456, journal_bytes: 134217728, flow_bytes: 134217728");
  EXPECT_TRUE(says("but the kernel kills it above 160 MiB")) << daemon_->err();
  EXPECT_TRUE(says("stream.flows_bytes: ")) << "with figures that fit: " << daemon_->err();
  EXPECT_TRUE(says("; until then, flows get no more than ")) << daemon_->err();
  write(400 * kMiB);
  EXPECT_TRUE(eventually([this] { return bytes() >= 400 * kMiB; })) << daemon_->err();
  EXPECT_TRUE(daemon_->running()) << daemon_->err();
  EXPECT_EQ(cgroup_.kills(), 0U);
}

// tmpfs stays charged to a cgroup whose limit is less by now.
TEST_F(BelowALimit, AfterAKillForWantOfMemoryItStartsAgain) {
  start("ring_bytes: 33554432, flow_bytes: 134217728");
  write(200 * kMiB);
  EXPECT_TRUE(eventually([this] { return bytes() >= 200 * kMiB; })) << daemon_->err();
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  cgroup_.limit(120 * kMiB);
  take_all_memory();
  const std::uint64_t kills = cgroup_.kills();
  ASSERT_GT(kills, 0U);
  start("ring_bytes: 33554432, flow_bytes: 134217728");
  EXPECT_TRUE(says("of what was captured earlier made room")) << daemon_->err();
  (void)daemon_->settled_stats();
  EXPECT_EQ(cgroup_.kills(), kills);
  EXPECT_FALSE(flows_of(*daemon_).empty()) << "not all of it had to go";
}

// What it has captured fills the room that it has, and all of it still fits, whatever else was killed there once.
TEST_F(BelowALimit, AStartLikeAnyOtherRemovesNothing) {
  start("flow_bytes: 16777216");
  write(100 * kMiB);
  EXPECT_TRUE(eventually([&] { return bytes() >= 100 * kMiB; })) << daemon_->err();
  for (int turn = 0; turn < 2; ++turn) {
    daemon_->signal(SIGKILL);
    (void)daemon_->wait();
    if (turn == 1) take_all_memory();
    const std::uint64_t kills = cgroup_.kills();
    EXPECT_EQ(kills, turn == 1 ? 1U : 0U);
    start("flow_bytes: 16777216");
    (void)daemon_->settled_stats();
    EXPECT_FALSE(says("made room")) << daemon_->err();
    EXPECT_EQ(bytes(), 100 * kMiB);
    EXPECT_EQ(cgroup_.kills(), kills);
  }
}

TEST_F(BelowALimit, ARingThatIsRefusedSaysWhatFits) {
  DaemonOptions options = kCapturing;
  options.room = "ring_bytes: 536870912";
  options.before_exec = [this] { cgroup_.join(); };
  daemon_ = std::make_unique<Daemon>(root_, options);
  daemon_->wait_ready();
  const auto stream = daemon_->component("stream");
  ASSERT_TRUE(stream);
  EXPECT_FALSE(stream->up);
  EXPECT_NE(stream->detail.find("Cannot allocate memory"), std::string::npos) << stream->detail;
  EXPECT_NE(stream->hint.find("stream.ring_bytes: "), std::string::npos) << stream->hint;
  EXPECT_EQ(stream->hint.find("report"), std::string::npos) << stream->hint;
}

}  // namespace
}  // namespace flowtap::test
