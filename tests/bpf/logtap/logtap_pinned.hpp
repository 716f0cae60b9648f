// Tests that pin the log tap.
#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sched.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/log/log_programs.hpp"

namespace flowtap::test {

/// Those that a test has opened: containers that run on this machine may have others.
inline std::vector<kernel::LogStream> opened(std::vector<kernel::LogStream> streams) {
  std::erase_if(streams, [](const kernel::LogStream& stream) { return stream.target.cgroup != 0; });
  return streams;
}
inline std::vector<kernel::Relieved> opened(std::vector<kernel::Relieved> streams) {
  std::erase_if(streams, [](const kernel::Relieved& stream) { return stream.before.target.cgroup != 0; });
  return streams;
}

/// A BPF file system and a mount namespace of the test's own: its pins belong to nobody else, and go with it.
class PinnedTap : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = "/tmp/flowtap-test-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    root_ = folder;
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mkdir((root_ + "/bpf").c_str(), 0700), 0);
    ASSERT_EQ(::mount("bpf", (root_ + "/bpf").c_str(), "bpf", 0, nullptr), 0);
    options_.bpffs = root_ + "/bpf";
    options_.ring_bytes = 16U << 20U;
  }

  void TearDown() override {
    EXPECT_TRUE(kernel::detach_log_tap(options_.bpffs));
    EXPECT_FALSE(std::filesystem::exists(options_.bpffs + "/flowtap"));
    ::umount(options_.bpffs.c_str());
    std::filesystem::remove_all(root_);
  }

  [[nodiscard]] kernel::LogLive start() const {
    auto started = kernel::start_log_tap(options_);
    if (!started) throw std::runtime_error(started.error().what);
    kernel::LogLive live = std::move(*started);
    EXPECT_FALSE(live.unpinned()) << live.unpinned()->what;
    return live;
  }

  std::string root_;
  kernel::LogOptions options_;
};

}  // namespace flowtap::test
