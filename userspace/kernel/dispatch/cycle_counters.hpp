// A cycle counter on each CPU, as perf provides them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "kernel/topology.hpp"

namespace flowtap::kernel {

/// What is counted: type and config of perf_event_open(2).
struct CycleEvent {
  std::uint32_t type;
  std::uint64_t config;

  /// Core cycles while the CPU does not sleep. This takes one of the CPU's own counters for as long as it is open.
  [[nodiscard]] static CycleEvent hardware();
  /// Nanoseconds of each CPU, asleep or not. Every machine can count them.
  [[nodiscard]] static CycleEvent clock();
};

class CycleCounters {
 public:
  /// Opens one for each CPU that is online. An Error where one cannot be had, as on most virtual machines: the cycles
  /// of a part of the CPUs could be compared with nothing. CPUs that come later have none, and one that was away keeps
  /// none.
  [[nodiscard]] static Result<CycleCounters> open(const Topology& topology, CycleEvent event);

  /// What a CPU's counter shows now. The reading interrupts that CPU.
  [[nodiscard]] std::optional<std::uint64_t> read(std::size_t cpu) const;

  /// Puts all of them into a BPF_MAP_TYPE_PERF_EVENT_ARRAY, by CPU.
  [[nodiscard]] Status give_to(int map_fd) const;

 private:
  explicit CycleCounters(std::vector<Fd> counters) : counters_(std::move(counters)) {}

  std::vector<Fd> counters_;  // by CPU; none for those that are offline
};

}  // namespace flowtap::kernel
