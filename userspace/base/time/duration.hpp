// Durations as people write them: "500ms", "1h30m", "1.5h", "2 hours".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

/// Numbers with a unit each, which add up, as Go's time.ParseDuration and systemd.time(7) have them: ns, us, ms, s, m, h, d,
/// w and these words of systemd: sec, min, hr, day, week, month, year, and their plurals. A number may have a fraction, and
/// there may be spaces between, but not around. "0" needs no unit. Absent for all else, and for what does not fit.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// In the largest unit that needs no fraction; parse_duration() reads it back.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace flowtap
