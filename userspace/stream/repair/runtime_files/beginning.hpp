// Finds bytes that are missing in front of all that was captured. Only what comes behind them tells their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stream/repair/runtime_files/refill.hpp"

namespace flowtap::flow {

/// How what was captured of an output ends its lines.
enum class LineEnds : std::uint8_t {
  kUnknown,   ///< there is no newline
  kNewlines,  ///< no newline has a "\r" before it
  kReturns,   ///< every newline has
  kBoth,
};
[[nodiscard]] LineEnds line_ends(std::string_view captured);

struct BeginningGap {
  std::string_view
      after;  ///< what was captured right behind it; empty: nothing was captured, and nothing will be
  std::uint64_t length = 0;            ///< bytes that are missing
  LineEnds ends = LineEnds::kUnknown;  ///< of all that was captured
};

/// What is known of the text that is searched.
struct KeptText {
  std::string_view text;  ///< append_bytes() of what the runtime has kept, in order
  RuntimeFormat format = RuntimeFormat::kCri;
  bool from_start = false;     ///< nothing of it is older than the missing bytes
  std::size_t earliest = 0;    ///< what was captured does not stand before this place
  bool drops_returns = false;  ///< "\r" before newlines have been left out, whatever the format
  bool lacks_lines = false;    ///< lines of it could not be read
};

/// The missing bytes stand right before `after`, which has to be there once. The refill is exact only if the text is known to have all
/// of them as they were written:
/// - U+FFFD may stand for one byte or be three, so a refill with it is approximate.
/// - Where "\r" may have been dropped, the text may have fewer bytes than are missing. The refill is exact if only one line can be the
///   first of them, none or all of their "\r" are lacking there, and what was captured ends its lines in the same way.
/// - If something may be older, the capture is taken to have begun where a line begins. If the text does not fit that, the refill is
///   approximate.
/// An empty `after` tells no place: the text itself must then be what is missing, and nothing older. Nothing: no refill.
[[nodiscard]] std::optional<Refill> find_beginning(const BeginningGap& gap, const KeptText& kept);

}  // namespace flowtap::flow
