// Durations as people write them in configuration: "500ms", "2s", "5m", "1h".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

/// A whole number and one unit of ms, s, m, h; nothing else, and nothing that does not fit.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// In the largest unit that needs no fraction; parse_duration() reads it back.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace flowtap
