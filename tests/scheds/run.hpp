// One of our schedulers, from before its first task to after its last one, beside two other accounts of its dispatches.
#pragma once

#include <functional>
#include <string>

#include "scheds/lib/scheduler.hpp"
#include "stats/slot_source.hpp"
#include "tests/scheds/ext_switches.h"

namespace flowtap::test {

struct SchedulerRun {
  stats::SlotCounts own{};     ///< what the scheduler counted
  stats::SlotCounts traced{};  ///< what flowtap's tracing programs counted meanwhile
  ftap_ext_switches others{};  ///< what ext_switches.bpf.c counted meanwhile
  std::string left_behind;     ///< why it ended before it was stopped; empty: it did not

  [[nodiscard]] std::uint64_t of(std::size_t slot) const { return own.at(FTAP_CLASS_EXT).at(slot); }
  /// The sum over all types of stats/scheds.def.
  [[nodiscard]] std::uint64_t sum() const;
  /// The sum over all types of stats/kernel.def that tracing gave to tasks of the ext class.
  [[nodiscard]] std::uint64_t traced_sum() const;
};

/// What the scheduler has counted so far, in its own account.
using CountedSoFar = std::function<stats::SlotCounts()>;

/// Starts the scheduler `name`, does `job`, and ends it. Fails the test where it cannot be started. Prints what each
/// account says.
[[nodiscard]] SchedulerRun run_scheduler(
    const std::string& name, const std::function<void(scheds::Scheduler&, const CountedSoFar&)>& job);
[[nodiscard]] SchedulerRun run_scheduler(const std::string& name,
                                         const std::function<void(scheds::Scheduler&)>& job);

}  // namespace flowtap::test
