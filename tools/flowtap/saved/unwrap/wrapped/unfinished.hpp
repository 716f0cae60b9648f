// Whether a text that may go over several lines has ended. A record's own grammar tells it, and in kubectl's events the full stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flowtap::cli {

enum class Ending : std::uint8_t {
  kOpen,  ///< a quote, a bracket, a word or the header is not closed
  kWhole  ///< all that has begun has ended
};

/// What a line begins that may go on in the next one. Does not own its texts.
struct LongText {
  std::string_view before;  ///< what a tool put before it
  Ending ending = Ending::kWhole;
};

/// What a line begins that has a record or a scheduler's event. Nothing: it has none, or klog itself has marked the
/// further lines of its record.
[[nodiscard]] std::optional<LongText> long_text(std::string_view line);

/// Whether a line is a row of kubectl's tables of events.
[[nodiscard]] bool is_event_row(std::string_view line);

/// Whether a text begins with a pair of klog's whose value is quoted, which may follow one that has ended.
[[nodiscard]] bool begins_pair(std::string_view text);

}  // namespace flowtap::cli
