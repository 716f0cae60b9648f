#include "telemetry/node/load.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;
using test::FileTree;

Collected collected(const FileTree& tree) {
  Collected out;
  LoadCollector(tree.root()).collect(out);
  return out;
}

TEST(Load, HasAllThree) {
  FileTree tree;
  const Collected all = collected(tree.file("loadavg", "0.25 1.50 12.00 3/80 11206\n"));
  ASSERT_EQ(all.series.size(), 3U);
  EXPECT_EQ(all.series[0].stat->id, StatId::kNODE_LOAD1);
  EXPECT_EQ(std::get<double>(all.series[0].value), 0.25);
  EXPECT_EQ(std::get<double>(all.series[1].value), 1.5);
  EXPECT_EQ(std::get<double>(all.series[2].value), 12.0);
  EXPECT_EQ(all.unread, 0U);
}

TEST(Load, WhatIsNotThereIsAbsentAndCounted) {
  FileTree tree;
  EXPECT_EQ(collected(tree).unread, 3U);
  const Collected some = collected(tree.file("loadavg", "0.25 x"));
  EXPECT_EQ(some.series.size(), 1U);
  EXPECT_EQ(some.unread, 2U);
}

}  // namespace
}  // namespace flowtap::telemetry
