// Points in time as the API writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::api {

/// UTC with all nine digits of the nanosecond, as Kubernetes shows times of log lines:
/// "2026-01-02T03:04:05.000000678Z".
[[nodiscard]] std::string rfc3339_nano(std::chrono::system_clock::time_point time);

/// The same form read back, with any number of fractional digits up to nine. Absent for anything else.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text);

}  // namespace flowtap::api
