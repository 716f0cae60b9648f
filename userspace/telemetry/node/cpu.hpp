// What the node's CPUs did, from /proc/stat.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/node/kernel_stat.hpp"
#include "telemetry/node/steady_counter.hpp"

namespace flowtap::telemetry {

/// An offline CPU is absent. Its times, and all other counters, never go back, although the kernel's do:
///
/// - idle and iowait are estimates while a CPU sleeps; when a task that waited for input goes to another CPU, iowait falls
///   and idle grows by as much, or the other way round. The larger value stays until it is passed.
/// - CPUs that come back from being offline begin their idle time anew on older kernels. That is so where a CPU was
///   gone, or where idle and iowait together fell by kAnew, which they do not when time moves between them. From there on
///   its growth is added to what was reached. node_exporter shows the fall.
class CpuCollector final : public Collector {
 public:
  /// `proc`: the node's procfs. `ticks_per_second`: USER_HZ, sysconf(_SC_CLK_TCK).
  CpuCollector(std::string proc, unsigned ticks_per_second)
      : proc_(std::move(proc)), ticks_per_second_(ticks_per_second) {}

  [[nodiscard]] std::string_view name() const override { return "cpu"; }
  void collect(Collected& out) override;

 private:
  static constexpr unsigned kAnew = 3;  // seconds, as node_exporter has it

  struct Cpu {
    std::array<SteadyCounter, kCpuModes> modes;
    std::uint64_t asleep = 0;  // idle and iowait, the last time
    std::uint64_t round = 0;   // in which it was seen last
  };

  void add(const CpuTimes& times, Collected& out);

  std::string proc_;
  unsigned ticks_per_second_;
  std::uint64_t round_ = 0;
  std::map<std::uint16_t, Cpu> cpus_;  // all that were ever seen
  SteadyCounter interrupts_, context_switches_, forks_, softirqs_;
};

}  // namespace flowtap::telemetry
