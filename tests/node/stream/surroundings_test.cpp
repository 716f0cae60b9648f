// What around it the log tap cannot work with, it says.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/node/stream/captured.hpp"

namespace flowtap::test {
namespace {

bool is_pinned(const Daemon& daemon) {
  return daemon.status().at("stream").at("pinned").as_bool();
}

TEST(StreamSurroundings, PinsOfAMountNamespaceOfItsOwnGoWithIt) {
  const ScratchRoot root;
  DaemonOptions options = kCapturing;
  options.before_exec = [] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(126);
  };
  Daemon daemon(root, options);
  daemon.wait_ready();
  EXPECT_FALSE(is_pinned(daemon));
  const auto component = daemon.component("stream");
  ASSERT_TRUE(component);
  EXPECT_NE(component->detail.find("goes with the mount namespace"), std::string::npos) << component->detail;
  EXPECT_NE(daemon.err().find("goes with the mount namespace"), std::string::npos) << daemon.err();
}

TEST(StreamSurroundings, PinsOnTheNodeStay) {
  const ScratchRoot root;
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_TRUE(is_pinned(daemon));
  EXPECT_EQ(daemon.err().find("mount namespace"), std::string::npos) << daemon.err();
}

}  // namespace
}  // namespace flowtap::test
