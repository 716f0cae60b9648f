// The time since when there are flows: it is kept over restarts, and begins anew where the file system does.
#include "stream/flows_mount.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;

TEST(FlowsSince, IsKeptUntilTheFileSystemIsAnother) {
  const test::TempDir dir;
  const system_clock::time_point first(1'700'000'000s);
  EXPECT_TRUE(flows_since(dir / "", first).is_new);
  const FlowsSince again = flows_since(dir / "", first + 1h);
  EXPECT_EQ(again.time, first);
  EXPECT_FALSE(again.is_new);
  std::filesystem::remove(dir / ".since");
  EXPECT_EQ(flows_since(dir / "", first + 2h).time, first + 2h);
}

TEST(FlowsSince, WhatIsNoTimeIsWrittenAnewAndWhatCannotBeWrittenIsNotKnown) {
  const test::TempDir dir;
  const system_clock::time_point now(1'700'000'000s);
  std::ofstream(dir / ".since") << "yesterday";
  EXPECT_EQ(flows_since(dir / "", now).time, now);
  EXPECT_FALSE(flows_since(dir / "nowhere", now).time);
}

}  // namespace
}  // namespace flowtap
