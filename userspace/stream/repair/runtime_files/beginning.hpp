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

/// The missing bytes stand right before `after`, which must be there once. How many of the text's bytes they are is certain only if
/// the text has all of them as they were written. U+FFFD may stand for one byte or be three, so it is approximate. Where "\r" may
/// have been dropped, the text could have fewer bytes than are missing: it is exact if but one line of the text can be the first
/// of them, none or all of the "\r" are lacking there, and what was captured ends its lines in the same way. If it is not known that
/// nothing is older, it is assumed that a line was begun, as far as one can tell by the text, when the capture began; otherwise the
/// refill is approximate. Nothing: no refill. An empty `after` tells no place, so the text must then be what is missing, and nothing
/// of it older.
[[nodiscard]] std::optional<Refill> find_beginning(const BeginningGap& gap, const KeptText& kept);

}  // namespace flowtap::flow
