// Points in time as Kubernetes writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

/// UTC with all nine digits of the nanosecond, as Kubernetes shows times of log lines:
/// "2026-01-02T03:04:05.000000678Z".
[[nodiscard]] std::string rfc3339_nano(std::chrono::system_clock::time_point time);

/// A point in time as RFC 3339 has it, in any zone, with up to nine fractional digits. Absent for anything else, and for
/// what the clock cannot hold in nanoseconds (years before 1678 and after 2261).
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text);

}  // namespace flowtap
