// JSON strings and times, for code that writes JSON by hand.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace flowtap::stats {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD: label values may
/// come from file and program names, which can hold anything.
void append_json_string(std::string& out, std::string_view text);

/// RFC 3339 in UTC with milliseconds: "2026-01-02T03:04:05.678Z".
[[nodiscard]] std::string rfc3339(std::chrono::system_clock::time_point time);

}  // namespace flowtap::stats
