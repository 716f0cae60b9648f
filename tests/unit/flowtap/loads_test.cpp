// What the program loads before it does anything. People wait for it at a terminal.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

TEST(FlowtapLoads, NothingThatOnlyTheServiceNeeds) {
  const Outcome run = shell("readelf -d " + paths::flowtap() + " | grep NEEDED");
  ASSERT_EQ(run.exit, 0);
  EXPECT_TRUE(run.output.contains("libc.so")) << run.output;
  for (const char* library :
       {"libbpf", "libcrypto", "libprometheus", "libseccomp", "libspdlog", "libssl", "libsystemd", "libyaml"})
    EXPECT_FALSE(run.output.contains(library)) << run.output;
}

}  // namespace
}  // namespace flowtap
