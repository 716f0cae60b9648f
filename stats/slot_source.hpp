// The source of counts. The interface belongs to the stats, which need it; the kernel's slots and the scripted counts
// of tests implement it.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.hpp"
#include "stats/slots.h"

namespace flowtap::stats {

/// The counts of one cycle over all CPUs, by scheduler class and slot.
using SlotCounts = std::array<std::array<std::uint64_t, FTAP_NR_SLOTS>, FTAP_NR_CLASSES>;

class SlotSource {
 public:
  SlotSource() = default;
  SlotSource(const SlotSource&) = delete;
  SlotSource& operator=(const SlotSource&) = delete;
  virtual ~SlotSource() = default;

  /// Takes the counts since the last call out of the slots and adds them to `counts`. Each event is in the counts of
  /// exactly one call. Slots hold what stat_add() put there: nanoseconds if the unit is seconds.
  virtual void take(SlotCounts& counts) = 0;
};

}  // namespace flowtap::stats
