// Texts of the kernel's files, and bytes that are no such text.
#include "telemetry/workloads/files/cgroup_values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::telemetry {
namespace {

using enum CgroupCounter;
using enum CgroupGauge;

// Absent: malformed.
std::optional<CgroupValues> parsed(std::span<const CgroupFile> files, std::string_view name,
                                   std::string_view text) {
  for (const CgroupFile& file : files) {
    if (file.name != name) continue;
    CgroupValues out;
    return file.parse(text, out) ? std::optional(out) : std::nullopt;
  }
  ADD_FAILURE() << name;
  return std::nullopt;
}
std::optional<CgroupValues> v2(std::string_view name, std::string_view text) {
  return parsed(cgroup_files(), name, text);
}
std::optional<CgroupValues> v1(std::string_view name, std::string_view text) {
  return parsed(cgroup_files_v1(), name, text);
}
std::optional<CgroupValues> cpuacct(std::string_view name, std::string_view text) {
  return parsed(cgroup_files_cpuacct(), name, text);
}

// Linux 6.18.
constexpr std::string_view kCpuStat =
    "usage_usec 5000017\nuser_usec 3000011\nsystem_usec 2000006\nnice_usec 0\ncore_sched.force_idle_usec 0\n"
    "nr_periods 40\nnr_throttled 7\nthrottled_usec 123456\nnr_bursts 0\nburst_usec 0\n";

TEST(CgroupValues, CpuTimeAndThrottling) {
  const auto all = v2("cpu.stat", kCpuStat).value();
  EXPECT_EQ(all[kCpuUser], 3'000'011'000U);
  EXPECT_EQ(all[kCpuSystem], 2'000'006'000U);
  EXPECT_EQ(all[kCpu], 5'000'017'000U);
  EXPECT_EQ(all[kPeriods], 40U);
  EXPECT_EQ(all[kThrottledPeriods], 7U);
  EXPECT_EQ(all[kThrottled], 123'456'000U);
  const auto without = v2("cpu.stat", "usage_usec 3\nuser_usec 1\nsystem_usec 2\n").value();
  EXPECT_EQ(without[kCpuUser], 1000U);
  EXPECT_FALSE(without[kPeriods]) << "the controller is not enabled";
}

TEST(CgroupValues, CpuTimeOfV1IsInTicks) {
  const auto all = cpuacct("cpuacct.stat", "user 83939\nsystem 10779\n").value();
  EXPECT_EQ(all[kCpuUser], 839'390'000'000U);
  EXPECT_EQ(all[kCpuSystem], 107'790'000'000U);
  EXPECT_FALSE(cpuacct("cpuacct.stat", "user x\n"));
}

TEST(CgroupValues, TheLimitOfCpus) {
  auto half = v2("cpu.max", "50000 100000\n").value();
  half.derive();
  EXPECT_EQ(half[kCpuLimit], 0.5);
  auto none = v2("cpu.max", "max 100000\n").value();
  none.derive();
  EXPECT_FALSE(none[kCpuLimit]);
}

// What kubelet writes for 1 CPU (1024 shares), systemd's default, and the ends of the range.
TEST(CgroupValues, SharesOfCpus) {
  for (const auto& [weight, shares] : {std::pair("0\n", 2.0), std::pair("1\n", 2.0), std::pair("39\n", 998.0),
                                       std::pair("100\n", 2597.0), std::pair("10000\n", 262144.0)})
    EXPECT_EQ(v2("cpu.weight", weight).value()[kShares], shares) << weight;
  for (const char* bad : {"-1\n", "10001\n", "max\n", ""}) EXPECT_FALSE(v2("cpu.weight", bad)) << bad;
  EXPECT_EQ(v1("cpu.shares", "1024\n").value()[kShares], 1024);
}

TEST(CgroupValues, Memory) {
  auto all = v2("memory.stat",
                "anon 4096\nfile 16384\nkernel 1000\nfile_mapped 8192\nactive_file 100\ninactive_file "
                "12288\npgfault "
                "11\npgmajfault 2\n")
                 .value();
  EXPECT_EQ(all[kActiveFile], 100);
  EXPECT_EQ(all[kAnonymous], 4096);
  EXPECT_EQ(all[kFile], 16384);
  EXPECT_EQ(all[kKernel], 1000);
  EXPECT_EQ(all[kMappedFile], 8192);
  EXPECT_EQ(all[kPageFaults], 11U);
  EXPECT_EQ(all[kMajorPageFaults], 2U);
  all[kMemory] = 20480;
  all.derive();
  EXPECT_EQ(all[kWorkingSet], 8192);
  all[kMemory] = 4096;
  all.derive();
  EXPECT_EQ(all[kWorkingSet], 0) << "read before the pages became inactive";
}

TEST(CgroupValues, WithoutItsPartsThereIsNoWorkingSet) {
  auto all = v2("memory.current", "4096\n").value();
  all.derive();
  EXPECT_FALSE(all[kWorkingSet]);
}

TEST(CgroupValues, SingleNumbersAndLimits) {
  EXPECT_EQ(v2("memory.current", "4096\n").value()[kMemory], 4096);
  EXPECT_EQ(v2("memory.swap.current", "0\n").value()[kSwap], 0);
  EXPECT_EQ(v2("memory.peak", "8192\n").value()[kMemoryPeak], 8192);
  EXPECT_EQ(v2("memory.max", "1048576\n").value()[kMemoryLimit], 1048576);
  EXPECT_EQ(v2("memory.max", "max\n").value()[kMemoryLimit], kUnlimited);
  EXPECT_EQ(v2("memory.min", "0\n").value()[kReservation], 0);
  EXPECT_EQ(v2("memory.min", "4096\n").value()[kReservation], 4096);
  EXPECT_EQ(v2("memory.swap.max", "0\n").value()[kSwapLimit], 0);
  EXPECT_EQ(v2("memory.swap.max", "max\n").value()[kSwapLimit], kUnlimited);
  EXPECT_EQ(v2("pids.current", "3\n").value()[kTasks], 3);
  EXPECT_EQ(v2("pids.max", "100\n").value()[kTasksLimit], 100);
  EXPECT_EQ(v2("pids.max", "max\n").value()[kTasksLimit], kUnlimited);
}

TEST(CgroupValues, WhatRanOutOfMemory) {
  const auto all =
      v2("memory.events", "low 0\nhigh 5\nmax 9\noom 2\noom_kill 1\noom_group_kill 4\nsock_throttled 0\n")
          .value();
  EXPECT_EQ(all[kOoms], 2U);
  EXPECT_EQ(all[kOomKills], 1U);
}

TEST(CgroupValues, InputAndOutputOfEachDevice) {
  const auto all = v2("io.stat",
                      "8:16 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=50 dios=3\n"
                      "(unknown) rbytes=10 wbytes=20 rios=3 wios=4 dbytes=0 dios=0\n"
                      "7:1 7:0 254:0 rbytes=1 wbytes=2 rios=5 wios=6 dbytes=0 dios=0 cost.usage=9\n8:32 \n")
                       .value();
  const BlockIo expected{{{8, 16}, {{100, 200, 1, 2}}}, {{254, 0}, {{1, 2, 5, 6}}}};
  EXPECT_EQ(all.io, expected);
  EXPECT_EQ(v2("io.stat", "").value().io, BlockIo{}) << "nothing was read yet";
  EXPECT_FALSE(v2("io.stat", "8:0 rbytes=1 wbytes=-2\n"));
}

TEST(CgroupValues, NumbersOfBlockDevices) {
  EXPECT_EQ(block_device("259:4294967295"), (BlockDevice{259, 4294967295}));
  for (const char* other : {"", ":", "8", "8:", ":0", "8:0:1", "-8:0", "8:4294967296", "rbytes=8:0", "8: 0"})
    EXPECT_FALSE(block_device(other)) << other;
}

TEST(CgroupValues, Pressure) {
  const std::string some = "some avg10=0.50 avg60=0.10 avg300=0.00 total=123\n";
  const auto both = v2("memory.pressure", some + "full avg10=0.00 avg60=0.00 avg300=0.00 total=45\n").value();
  EXPECT_EQ(both[kMemoryWaiting], 123'000U);
  EXPECT_EQ(both[kMemoryStalled], 45'000U);
  const auto one = v2("cpu.pressure", some).value();
  EXPECT_EQ(one[kCpuWaiting], 123'000U);
  EXPECT_FALSE(one[kCpuStalled]) << "before Linux 5.13";
  EXPECT_EQ(v2("io.pressure", some).value()[kIoWaiting], 123'000U);
}

TEST(CgroupValues, WhatIsMalformedIsRefused) {
  const std::string wide = "18446744073709551615";
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
           {"cpu.stat", "user_usec\n"},
           {"cpu.stat", "user_usec -1\n"},
           {"cpu.stat", "user_usec 1x\n"},
           {"cpu.stat", "user_usec 99999999999999999999\n"},
           {"cpu.stat", "user_usec " + wide + "\n"},  // does not fit in nanoseconds
           {"cpu.max", ""},
           {"cpu.max", "max\n"},
           {"cpu.max", "1 0\n"},
           {"cpu.max", "x 100000\n"},
           {"memory.current", ""},
           {"memory.current", "max\n"},
           {"memory.current", "1 2\n"},
           {"memory.current", "1\n2\n"},
           {"memory.current", std::string("1\0\n", 3)},
           {"memory.max", "maximum\n"},
           {"memory.max", "-1\n"},
           {"memory.stat", "anon x\n"},
           {"memory.stat", "pgfault \n"},
           {"memory.events", "oom_kill 1.5\n"},
           {"io.stat", "8:0 rbytes=\n"},
           {"io.stat", "8:0 wios=1a\n"},
           {"pids.current", "0x3\n"},
           {"cpu.pressure", "some avg10=0.00\n"},
           {"cpu.pressure", "full total=x\n"},
           {"cpu.pressure", "some total=" + wide + "\n"}})
    EXPECT_FALSE(v2(name, text)) << name << ": " << text;
}

// Linux 6.18 with the controllers in v1.
TEST(CgroupValuesV1, Memory) {
  auto all =
      v1("memory.stat",
         "cache 1\nrss 2\nmapped_file 3\nswap 4\npgfault 5\ninactive_file 6\nhierarchical_memory_limit 7\n"
         "total_cache 16384\ntotal_rss 4096\ntotal_mapped_file 8192\ntotal_swap 512\ntotal_pgfault 11\n"
         "total_pgmajfault 2\ntotal_inactive_file 12288\n")
          .value();
  EXPECT_EQ(all[kFile], 16384);
  EXPECT_EQ(all[kAnonymous], 4096);
  EXPECT_EQ(all[kMappedFile], 8192);
  EXPECT_EQ(all[kSwap], 512);
  EXPECT_EQ(all[kPageFaults], 11U);
  EXPECT_EQ(all[kMajorPageFaults], 2U);
  EXPECT_EQ(all[kInactiveFile], 12288);
  EXPECT_EQ(v1("memory.usage_in_bytes", "4096\n").value()[kMemory], 4096);
  EXPECT_EQ(v1("memory.max_usage_in_bytes", "8192\n").value()[kMemoryPeak], 8192);
  EXPECT_EQ(v1("memory.limit_in_bytes", "1048576\n").value()[kMemoryLimit], 1048576);
  for (const char* none : {"9223372036854771712\n", "9223372036854710272\n"}) {
    EXPECT_EQ(v1("memory.limit_in_bytes", none).value()[kMemoryLimit], kUnlimited) << none;
    EXPECT_EQ(v1("memory.memsw.limit_in_bytes", none).value()[kSwapLimit], kUnlimited) << none;
    EXPECT_EQ(v1("memory.soft_limit_in_bytes", none).value()[kReservation], 0) << none;
  }
  EXPECT_EQ(v1("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n").value()[kOomKills], 3U);
}

TEST(CgroupValuesV1, InputOutputCpuAndTasks) {
  const auto bytes = v1("blkio.throttle.io_service_bytes_recursive",
                        "8:0 Read 100\n8:0 Write 200\n8:0 Sync 1\n8:0 Async 2\n8:0 Discard 0\n8:0 Total 300\n"
                        "8:16 Read 1\n8:16 Write 2\n8:16 Total 3\nTotal 303\n")
                         .value();
  const BlockIo expected{{{8, 0}, DeviceIo{{100, 200, {}, {}}}}, {{8, 16}, DeviceIo{{1, 2, {}, {}}}}};
  EXPECT_EQ(bytes.io, expected);
  const auto operations =
      v1("blkio.throttle.io_serviced_recursive", "8:0 Read 7\n8:0 Total 7\nTotal 7\n").value();
  EXPECT_EQ(operations.io, (BlockIo{{{8, 0}, DeviceIo{{std::nullopt, std::nullopt, 7, std::nullopt}}}}));
  EXPECT_EQ(v1("blkio.throttle.io_serviced_recursive", "Total 0\n").value().io, BlockIo{});
  const auto cpu = v1("cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 55\nnr_bursts 0\n").value();
  EXPECT_EQ(cpu[kPeriods], 4U);
  EXPECT_EQ(cpu[kThrottledPeriods], 3U);
  EXPECT_EQ(cpu[kThrottled], 55U) << "nanoseconds";
  auto limit = v1("cpu.cfs_quota_us", "150000\n").value();
  limit[kPeriod] = v1("cpu.cfs_period_us", "100000\n").value()[kPeriod];
  limit.derive();
  EXPECT_EQ(limit[kCpuLimit], 1.5);
  EXPECT_FALSE(v1("cpu.cfs_quota_us", "-1\n").value()[kQuota]);
  EXPECT_EQ(v1("pids.current", "3\n").value()[kTasks], 3);
}

TEST(CgroupValuesV1, WhatIsMalformedIsRefused) {
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"memory.stat", "total_rss x\n"},
           {"memory.usage_in_bytes", "\n"},
           {"memory.limit_in_bytes", "-1\n"},
           {"memory.oom_control", "oom_kill\n"},
           {"blkio.throttle.io_service_bytes_recursive", "8:0 Read\n"},
           {"cpu.cfs_quota_us", "-2\n"},
           {"cpu.cfs_period_us", "0\n"},
           {"pids.max", "none\n"}})
    EXPECT_FALSE(v1(name, text)) << name << ": " << text;
}

}  // namespace
}  // namespace flowtap::telemetry
