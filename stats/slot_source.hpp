// Where counts come from. The interface belongs to the stats, who need it; the kernel's slots implement it,
// and so do scripted counts in tests.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.hpp"
#include "stats/slots.h"

namespace flowtap::stats {

/// Counts of one cycle, all CPUs together, by scheduler class and slot.
using SlotCounts = std::array<std::array<std::uint64_t, FTAP_NR_SLOTS>, FTAP_NR_CLASSES>;

class SlotSource {
 public:
  SlotSource() = default;
  SlotSource(const SlotSource&) = delete;
  SlotSource& operator=(const SlotSource&) = delete;
  virtual ~SlotSource() = default;

  /// Takes what was counted since the last call out of the slots and adds it to `counts`. Each event is in
  /// exactly one call's counts. Slots hold what stat_add() put there: nanoseconds where the unit is seconds.
  virtual void take(SlotCounts& counts) = 0;
};

}  // namespace flowtap::stats
