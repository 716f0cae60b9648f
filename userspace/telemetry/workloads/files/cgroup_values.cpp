#include "telemetry/workloads/files/cgroup_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "telemetry/workloads/files/cgroup_keys.hpp"

namespace flowtap::telemetry {

std::optional<BlockDevice> block_device(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = whole_number(word.substr(0, colon));
  const auto minor = whole_number(word.substr(colon + 1));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!major || !minor || *major > kMost || *minor > kMost) return std::nullopt;
  return BlockDevice{static_cast<std::uint32_t>(*major), static_cast<std::uint32_t>(*minor)};
}

namespace {

using enum CgroupCounter;
using enum CgroupGauge;

constexpr std::uint64_t kNanosecondsOfUs = 1000;

bool cpu_stat(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"usage_usec", kCpu, kNanosecondsOfUs},
                                        CounterKey{"user_usec", kCpuUser, kNanosecondsOfUs},
                                        CounterKey{"system_usec", kCpuSystem, kNanosecondsOfUs},
                                        CounterKey{"nr_periods", kPeriods},
                                        CounterKey{"nr_throttled", kThrottledPeriods},
                                        CounterKey{"throttled_usec", kThrottled, kNanosecondsOfUs}};
  return parse_keys(text, kCounters, {}, out);
}

// "max 100000" or "50000 100000", in µs.
bool cpu_max(std::string_view text, CgroupValues& out) {
  std::string_view line = next_line(text);
  const std::string_view quota = next_word(line);
  const auto period = whole_number(next_word(line));
  if (!period || *period == 0) return false;
  if (quota == "max") return true;
  out[kQuota] = whole_number(quota);
  out[kPeriod] = *period;
  return out[kQuota].has_value();
}

bool memory_stat(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"pgfault", kPageFaults},
                                        CounterKey{"pgmajfault", kMajorPageFaults}};
  static constexpr std::array kGauges{
      GaugeKey{"anon", kAnonymous},         GaugeKey{"file", kFile},
      GaugeKey{"file_mapped", kMappedFile}, GaugeKey{"kernel", kKernel},
      GaugeKey{"active_file", kActiveFile}, GaugeKey{"inactive_file", kInactiveFile}};
  return parse_keys(text, kCounters, kGauges, out);
}

// Shares have been written into cpu.weight by this line for years; it is also the way in which cAdvisor reads it. 0 is that
// of an idle group (cpu.idle), which gets less than the least.
bool cpu_weight(std::string_view text, CgroupValues& out) {
  constexpr double kLeastShares = 2;
  constexpr double kMostShares = 262144;
  constexpr double kMostWeight = 10000;
  std::optional<double> weight;
  if (!parse_number(text, weight) || *weight > kMostWeight) return false;
  out[kShares] = kLeastShares +
                 std::floor(std::max(0.0, *weight - 1) * (kMostShares - kLeastShares) / (kMostWeight - 1));
  return true;
}

bool memory_events(std::string_view text, CgroupValues& out) {
  static constexpr std::array kCounters{CounterKey{"oom", kOoms}, CounterKey{"oom_kill", kOomKills}};
  return parse_keys(text, kCounters, {}, out);
}

// "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0", and what controllers add. A device that is gone no longer has
// a number ("(unknown)"): what it had is in what was read before. Older kernels wrote devices that had nothing to tell
// at the front of the next line.
bool io_stat(std::string_view text, CgroupValues& out) {
  struct Key {
    std::string_view key;
    IoCounter to;
  };
  static constexpr std::array kKeys{Key{"rbytes=", IoCounter::kReadBytes},
                                    Key{"wbytes=", IoCounter::kWrittenBytes}, Key{"rios=", IoCounter::kReads},
                                    Key{"wios=", IoCounter::kWrites}};
  BlockIo& io = out.io.emplace();
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::optional<BlockDevice> device;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (const auto named = block_device(word)) device = named;
      for (const Key& known : kKeys) {
        if (!device || !word.starts_with(known.key)) continue;
        auto& to = io[*device][known.to];
        to = whole_number(word.substr(known.key.size()));
        if (!to) return false;
      }
    }
  }
  return true;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", in µs; "full" looks the same.
bool pressure(std::string_view text, std::optional<std::uint64_t>& some, std::optional<std::uint64_t>& full) {
  constexpr std::string_view kTotal = "total=";
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view which = next_word(line);
    if (which != "some" && which != "full") continue;
    std::string_view word = next_word(line);
    while (!word.empty() && !word.starts_with(kTotal)) word = next_word(line);
    if (word.empty()) return false;
    auto& to = which == "some" ? some : full;
    to = finer(whole_number(word.substr(kTotal.size())), kNanosecondsOfUs);
    if (!to) return false;
  }
  return true;
}

constexpr std::array kFiles{
    CgroupFile{"", "cpu.stat", cpu_stat},
    CgroupFile{"", "cgroup.procs", parse_processes},
    CgroupFile{"", "cpu.max", cpu_max, true},
    CgroupFile{"", "cpu.weight", cpu_weight, true},
    CgroupFile{"", "memory.current", [](auto text, auto& out) { return parse_number(text, out[kMemory]); }},
    CgroupFile{"", "memory.stat", memory_stat},
    CgroupFile{"", "memory.swap.current",
               [](auto text, auto& out) { return parse_number(text, out[kSwap]); }},
    CgroupFile{"", "memory.max", [](auto text, auto& out) { return parse_limit(text, out[kMemoryLimit]); },
               true},
    CgroupFile{"", "memory.min", [](auto text, auto& out) { return parse_limit(text, out[kReservation]); },
               true},
    CgroupFile{"", "memory.swap.max", [](auto text, auto& out) { return parse_limit(text, out[kSwapLimit]); },
               true},
    CgroupFile{"", "memory.peak", [](auto text, auto& out) { return parse_number(text, out[kMemoryPeak]); }},
    CgroupFile{"", "memory.events", memory_events},
    CgroupFile{"", "io.stat", io_stat},
    CgroupFile{"", "pids.current", [](auto text, auto& out) { return parse_number(text, out[kTasks]); }},
    CgroupFile{"", "pids.max", [](auto text, auto& out) { return parse_limit(text, out[kTasksLimit]); },
               true},
    CgroupFile{"", "cpu.pressure",
               [](auto text, auto& out) { return pressure(text, out[kCpuWaiting], out[kCpuStalled]); }},
    CgroupFile{"", "memory.pressure",
               [](auto text, auto& out) { return pressure(text, out[kMemoryWaiting], out[kMemoryStalled]); }},
    CgroupFile{"", "io.pressure",
               [](auto text, auto& out) { return pressure(text, out[kIoWaiting], out[kIoStalled]); }},
};

}  // namespace

void CgroupValues::derive() {
  auto& self = *this;
  // The two files are read one after the other: in between more may have become inactive than was used before.
  if (self[kMemory] && self[kInactiveFile])
    self[kWorkingSet] = std::max(0.0, *self[kMemory] - *self[kInactiveFile]);
  if (!self[kCpu] && self[kCpuUser] && self[kCpuSystem]) self[kCpu] = *self[kCpuUser] + *self[kCpuSystem];
  if (self[kQuota] && self[kPeriod]) self[kCpuLimit] = *self[kQuota] / *self[kPeriod];
}

bool parse_processes(std::string_view text, CgroupValues& out) {
  double count = 0;
  for (; !text.empty(); ++count) {
    std::string_view line = next_line(text);
    const auto pid = whole_number(next_word(line));
    if (!pid || !line.empty()) return false;
    if (*pid != 0 && !out[kFirstPid]) out[kFirstPid] = *pid;
  }
  out[kProcesses] = count;
  return true;
}

std::span<const CgroupFile> cgroup_files() {
  return kFiles;
}

}  // namespace flowtap::telemetry
