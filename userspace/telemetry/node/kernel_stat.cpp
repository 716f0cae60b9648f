#include "telemetry/node/kernel_stat.hpp"

#include <limits>
#include <set>

#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kFewestModes = 4;  // the oldest kernels have user, nice, system, idle

// "1 2 3 4 ...", what follows "cpu7".
std::optional<CpuTimes> cpu_times(std::string_view rest) {
  CpuTimes times;
  while (times.known < kCpuModes) {
    const auto word = next_word(rest);
    if (word.empty()) break;
    const auto ticks = whole_number(word);
    if (!ticks) return std::nullopt;
    times.ticks.at(times.known++) = *ticks;
  }
  if (times.known < kFewestModes) return std::nullopt;
  return times;
}

std::optional<CpuTimes> cpu_times(std::string_view number, std::string_view rest) {
  const auto cpu = whole_number(number);
  if (!cpu || *cpu > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  auto times = cpu_times(rest);
  if (times) times->cpu = static_cast<std::uint16_t>(*cpu);
  return times;
}

}  // namespace

KernelStat parse_kernel_stat(std::string_view text) {
  KernelStat stat;
  std::set<std::uint16_t> seen;
  const auto once = [&stat](std::optional<std::uint64_t>& value, std::string_view word) {
    const auto number = whole_number(word);
    if (!number || value)
      ++stat.unread;
    else
      value = number;
  };
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    if (key.starts_with("cpu") && key.size() > 3) {
      const auto times = cpu_times(key.substr(3), line);
      if (times && seen.insert(times->cpu).second)
        stat.cpus.push_back(*times);
      else
        ++stat.unread;
    } else if (key == "cpu") {
      if (stat.all || !(stat.all = cpu_times(line))) ++stat.unread;
    } else if (key == "intr") {  // then one number for each interrupt, thousands on some machines
      once(stat.interrupts, next_word(line));
    } else if (key == "ctxt") {
      once(stat.context_switches, next_word(line));
    } else if (key == "btime") {
      once(stat.boot_time, next_word(line));
    } else if (key == "processes") {
      once(stat.forks, next_word(line));
    } else if (key == "procs_running") {
      once(stat.procs_running, next_word(line));
    } else if (key == "procs_blocked") {
      once(stat.procs_blocked, next_word(line));
    } else if (key == "softirq") {
      once(stat.softirqs, next_word(line));
    }
  }
  return stat;
}

}  // namespace flowtap::telemetry
