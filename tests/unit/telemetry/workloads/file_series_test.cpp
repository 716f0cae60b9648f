#include "telemetry/workloads/files/file_series.hpp"

#include <gtest/gtest.h>

#include <set>

namespace flowtap::telemetry {
namespace {

using stats::StatId;

TEST(FileSeries, WhatIsThereHasASeriesInItsUnit) {
  CgroupValues values;
  values[CgroupCounter::kCpuUser] = 1'500'000'000;
  NamedIo io;
  io["sda"][IoCounter::kReadBytes] = 4096;
  values[CgroupGauge::kTasks] = 3;
  std::vector<stats::Series> all;
  append_series(values, io, {"pod", "shop", "web-0", "app", "web"}, all);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].stat->id, StatId::kWORKLOAD_CPU_USER);
  EXPECT_EQ(std::get<double>(all[0].value), 1.5);
  EXPECT_EQ(all[1].stat->id, StatId::kWORKLOAD_IO_READ);
  EXPECT_EQ(std::get<std::uint64_t>(all[1].value), 4096U);
  EXPECT_EQ(all[1].labels, stats::Labels({"pod", "shop", "web-0", "app", "web", "sda"}));
  EXPECT_EQ(all[2].stat->id, StatId::kWORKLOAD_TASKS);
  EXPECT_EQ(std::get<double>(all[2].value), 3);
  EXPECT_EQ(all[2].labels[2], "web-0");
}

TEST(FileSeries, EachValueHasASeriesOfItsOwnAndKind) {
  CgroupValues values;
  for (auto& counter : values.counters) counter = 1;
  for (auto& gauge : values.gauges) gauge = 1;
  NamedIo io;
  for (auto& counter : io["sda"].counters) counter = 1;
  std::vector<stats::Series> all;
  append_series(values, io, {"host", "", "", "", ""}, all);
  // Values that only serve to work out others are left out: quota, period, and the process about which more is told. The
  // CPU time is the one that the kernel adds up at context switches.
  EXPECT_EQ(all.size(), kCgroupCounters - 1 + kIoCounters + kCgroupGauges - 3);
  std::set<StatId> ids;
  std::size_t counters = 0;
  for (const stats::Series& series : all) {
    ids.insert(series.stat->id);
    counters += series.stat->kind == stats::Kind::kCounter ? 1 : 0;
  }
  EXPECT_EQ(ids.size(), all.size());
  EXPECT_EQ(counters, kCgroupCounters - 1 + kIoCounters);
}

TEST(FileSeries, WhatHasNoLimitHasNoSeriesButA0ForOthers) {
  CgroupValues values;
  values[CgroupGauge::kMemoryLimit] = kUnlimited;
  values[CgroupGauge::kTasksLimit] = 100;
  values[CgroupGauge::kReservation] = 0;
  const stats::Labels app{"pod", "shop", "web-0", "app", "web"};
  std::vector<stats::Series> ours;
  append_series(values, {}, app, ours);
  ASSERT_EQ(ours.size(), 1U);
  EXPECT_EQ(ours[0].stat->id, StatId::kWORKLOAD_TASKS_LIMIT);
  std::vector<stats::Series> unset;
  append_unset(values, app, unset);
  ASSERT_EQ(unset.size(), 2U) << "a limit that was not read is not said to be none";
  EXPECT_EQ(unset[0].stat->id, StatId::kWORKLOAD_MEMORY_LIMIT);
  EXPECT_EQ(std::get<double>(unset[0].value), 0);
  EXPECT_EQ(unset[0].labels, app);
  EXPECT_EQ(unset[1].stat->id, StatId::kWORKLOAD_MEMORY_RESERVATION);
}

}  // namespace
}  // namespace flowtap::telemetry
