// A journal in the order in which it was written, for whoever takes all of it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stream/journal/journal_entry.hpp"

namespace flowtap::flow {

/// Behind some entry. Places of one journal are in order, also over restarts.
struct JournalPlace {
  std::uint32_t segment = 0;  ///< 0: before all there is
  std::uint64_t at = 0;       ///< in that segment
  auto operator<=>(const JournalPlace&) const = default;
};

/// Some entries, those of kind BATCH among them.
struct JournalTail {
  std::span<const std::byte> entries;  ///< in `room`
  JournalPlace next;                   ///< where to go on
  bool evicted = false;  ///< entries before these may have had to make room before they were read
  bool end = false;      ///< there are no more now
  std::vector<std::byte> room =
      {};  ///< kept for the next ones: making it anew each time costs more than reading
};

}  // namespace flowtap::flow
