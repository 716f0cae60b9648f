// Looks for all gaps of one output in what its runtime has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/refill.hpp"

namespace flowtap::flow {

/// A gap between captured bytes.
struct GapPlace {
  std::size_t at = 0;        ///< bytes that were captured before it
  std::uint64_t length = 0;  ///< bytes that are missing; 0: nobody knows how many, and there is no refill
};

/// What a gap stands between: kGapSide bytes at most on each side, and none of beyond the next gap. Gaps that stand at one place are
/// one, if it is known how many bytes each of them lacks.
[[nodiscard]] Gap gap_sides(std::string_view captured, std::span<const GapPlace> gaps, std::size_t index);

/// One output's captured bytes, its gaps, and the text to search.
struct GapSearch {
  std::string_view captured;       ///< in order, without the missing bytes
  std::span<const GapPlace> gaps;  ///< in order
  std::string_view text;  ///< append_bytes() of what the runtime has kept, from before the first gap on
  RuntimeFormat format = RuntimeFormat::kCri;
  bool ended = false;  ///< nothing comes behind the captured bytes or behind the text
  // For a gap in front of all that was captured, as in KeptText:
  bool from_start = false;
  std::size_t earliest = 0;
  bool drops_returns = false;
  bool lacks_lines = false;
};

/// Says for each gap what find_missing() says, or nothing; find_beginning() for one in front of all that was captured.
/// Where a gap was found exactly, the next ones are where the bytes between them say, so most are found at once. At
/// most kMostSearches of the others are looked for.
[[nodiscard]] std::vector<std::optional<Refill>> find_gaps(const GapSearch& search);

constexpr std::size_t kMostSearches = 16;
constexpr std::size_t kGapSide = 512;  ///< how many captured bytes on each side of a gap are looked for

}  // namespace flowtap::flow
