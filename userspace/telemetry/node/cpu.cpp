#include "telemetry/node/cpu.hpp"

#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct Mode {
  StatId id;
  const char* label;
};
// By CpuMode.
constexpr std::array<Mode, kCpuModes> kModes{{{StatId::kNODE_CPU, "user"},
                                              {StatId::kNODE_CPU, "nice"},
                                              {StatId::kNODE_CPU, "system"},
                                              {StatId::kNODE_CPU, "idle"},
                                              {StatId::kNODE_CPU, "iowait"},
                                              {StatId::kNODE_CPU, "irq"},
                                              {StatId::kNODE_CPU, "softirq"},
                                              {StatId::kNODE_CPU, "steal"},
                                              {StatId::kNODE_CPU_GUEST, "user"},
                                              {StatId::kNODE_CPU_GUEST, "nice"}}};

}  // namespace

void CpuCollector::collect(Collected& out) {
  const auto text = read_kernel_file(proc_ + "/stat", out);
  if (!text) return;
  const KernelStat stat = parse_kernel_stat(*text);
  out.unread += stat.unread;
  // A round that could not be read does not count: no CPU was gone because of that.
  if (!stat.cpus.empty()) ++round_;
  for (const CpuTimes& times : stat.cpus) add(times, out);

  // Some parts of these sums over CPUs have only 32 bits in the kernel; when one wraps, the sum falls for good.
  const auto counter = [&out](StatId id, SteadyCounter& steady, std::optional<std::uint64_t> read) {
    if (read) out.add(id, steady.next(*read, true));
  };
  counter(StatId::kNODE_CONTEXT_SWITCHES, context_switches_, stat.context_switches);
  counter(StatId::kNODE_FORKS, forks_, stat.forks);
  counter(StatId::kNODE_INTERRUPTS, interrupts_, stat.interrupts);
  counter(StatId::kNODE_SOFTIRQS, softirqs_, stat.softirqs);
  if (stat.procs_running) out.add(StatId::kNODE_PROCS_RUNNING, *stat.procs_running);
  if (stat.procs_blocked) out.add(StatId::kNODE_PROCS_BLOCKED, *stat.procs_blocked);
  if (stat.boot_time) out.add(StatId::kNODE_BOOT_TIME, *stat.boot_time);
}

void CpuCollector::add(const CpuTimes& times, Collected& out) {
  Cpu& cpu = cpus_[times.cpu];
  const std::uint64_t asleep = times.ticks[kIdle] + times.ticks[kIowait];
  const bool was_gone = cpu.round + 1 != round_;
  const bool anew =
      was_gone || (asleep < cpu.asleep && cpu.asleep - asleep >= std::uint64_t{kAnew} * ticks_per_second_);
  cpu.asleep = asleep;
  cpu.round = round_;
  const std::string label = std::to_string(times.cpu);
  for (std::size_t mode = 0; mode < times.known; ++mode) {
    const auto ticks = static_cast<double>(cpu.modes.at(mode).next(times.ticks.at(mode), anew));
    out.add(kModes.at(mode).id, ticks / ticks_per_second_, {label, kModes.at(mode).label});
  }
}

}  // namespace flowtap::telemetry
