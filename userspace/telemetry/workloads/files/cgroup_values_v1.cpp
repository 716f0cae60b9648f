#include "telemetry/workloads/files/cgroup_keys.hpp"

namespace flowtap::telemetry {
namespace {

using enum CgroupCounter;
using enum CgroupGauge;

// The largest number that v1 counts, in pages: no limit (mm/memcontrol-v1.c: PAGE_COUNTER_MAX). Pages have at most 64
// KiB.
constexpr double kNoLimit = 9223372036854710272.0;

bool parse_limit_v1(std::string_view text, std::optional<double>& to) {
  if (!parse_number(text, to)) return false;
  if (*to >= kNoLimit) to = kUnlimited;
  return true;
}

// A soft limit that is not set is the largest one.
bool soft_limit(std::string_view text, CgroupValues& out) {
  if (!parse_limit_v1(text, out[kReservation])) return false;
  if (*out[kReservation] == kUnlimited) out[kReservation] = 0;
  return true;
}

// A key without "total_" in front leaves out what is below.
bool memory_stat_v1(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"total_pgfault", kPageFaults},
                                        CounterKey{"total_pgmajfault", kMajorPageFaults}};
  static constexpr std::array kGauges{
      GaugeKey{"total_rss", kAnonymous},          GaugeKey{"total_cache", kFile},
      GaugeKey{"total_mapped_file", kMappedFile}, GaugeKey{"total_swap", kSwap},
      GaugeKey{"total_active_file", kActiveFile}, GaugeKey{"total_inactive_file", kInactiveFile}};
  return parse_keys(text, kCounters, kGauges, out);
}

// This covers only the cgroup itself: v1 does not count upwards here.
bool oom_control(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"oom_kill", kOomKills}};
  return parse_keys(text, kCounters, {}, out);
}

// "8:0 Read 4096", and other operations; at the end a sum of all.
bool by_device(std::string_view text, CgroupValues& out, IoCounter reads, IoCounter writes) {
  BlockIo& io = out.io ? *out.io : out.io.emplace();
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const auto device = block_device(next_word(line));
    const std::string_view what = next_word(line);
    if (!device || (what != "Read" && what != "Write")) continue;
    auto& to = io[*device][what == "Read" ? reads : writes];
    to = whole_number(next_word(line));
    if (!to) return false;
  }
  return true;
}

bool cpu_stat_v1(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"nr_periods", kPeriods},
                                        CounterKey{"nr_throttled", kThrottledPeriods},
                                        CounterKey{"throttled_time", kThrottled}};
  return parse_keys(text, kCounters, {}, out);
}

constexpr std::array kFilesV1{
    CgroupFile{"memory", "memory.usage_in_bytes",
               [](auto text, auto& out) { return parse_number(text, out[kMemory]); }},
    CgroupFile{"memory", "memory.stat", memory_stat_v1},
    CgroupFile{"memory", "memory.limit_in_bytes",
               [](auto text, auto& out) { return parse_limit_v1(text, out[kMemoryLimit]); }, true},
    CgroupFile{"memory", "memory.soft_limit_in_bytes", soft_limit, true},
    CgroupFile{"memory", "memory.memsw.limit_in_bytes",
               [](auto text, auto& out) { return parse_limit_v1(text, out[kSwapLimit]); }, true},
    CgroupFile{"memory", "memory.max_usage_in_bytes",
               [](auto text, auto& out) { return parse_number(text, out[kMemoryPeak]); }},
    CgroupFile{"memory", "memory.oom_control", oom_control},
    CgroupFile{"pids", "pids.current", [](auto text, auto& out) { return parse_number(text, out[kTasks]); }},
    CgroupFile{"pids", "pids.max", [](auto text, auto& out) { return parse_limit(text, out[kTasksLimit]); },
               true},
    CgroupFile{"blkio", "blkio.throttle.io_service_bytes_recursive",
               [](auto text, auto& out) {
                 return by_device(text, out, IoCounter::kReadBytes, IoCounter::kWrittenBytes);
               }},
    CgroupFile{
        "blkio", "blkio.throttle.io_serviced_recursive",
        [](auto text, auto& out) { return by_device(text, out, IoCounter::kReads, IoCounter::kWrites); }},
    CgroupFile{"cpu", "cpu.stat", cpu_stat_v1},
    CgroupFile{"cpu", "cpu.shares", [](auto text, auto& out) { return parse_number(text, out[kShares]); },
               true},
    // -1 stands for none.
    CgroupFile{"cpu", "cpu.cfs_quota_us",
               [](auto text, auto& out) { return text == "-1\n" || parse_number(text, out[kQuota]); }, true},
    CgroupFile{"cpu", "cpu.cfs_period_us",
               [](auto text, auto& out) { return parse_number(text, out[kPeriod]) && *out[kPeriod] > 0; },
               true},
};

// Ticks of a clock that is the same on all architectures that we support (include/asm-generic/param.h: USER_HZ). The
// files in nanoseconds (cpuacct.usage_user) contain what ticks found by chance. Here both parts are scaled to the time
// that was used (kernel/sched/cpuacct.c: cputime_adjust()), as in v2.
constexpr std::uint64_t kNanosecondsOfTick = 10'000'000;

bool cpuacct_stat(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"user", kCpuUser, kNanosecondsOfTick},
                                        CounterKey{"system", kCpuSystem, kNanosecondsOfTick}};
  return parse_keys(text, kCounters, {}, out);
}

constexpr std::array kCpuAcctFiles{
    CgroupFile{"cpuacct", "cpuacct.stat", cpuacct_stat},
    // The kernel keeps the list for a second after the last reader, and shows that list to whoever still has the file
    // open (kernel/cgroup/cgroup-v1.c: cgroup_pidlist_start()).
    CgroupFile{.controller = "cpuacct", .name = "cgroup.procs", .parse = parse_processes, .anew = true},
};

}  // namespace

std::span<const CgroupFile> cgroup_files_v1() {
  return kFilesV1;
}

std::span<const CgroupFile> cgroup_files_cpuacct() {
  return kCpuAcctFiles;
}

}  // namespace flowtap::telemetry
