// Moments as people write them after --since: how long ago, or when.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap {

/// What parse_moment() takes, for errors and help.
inline constexpr std::string_view kMoments =
    "how long ago, such as 30s, 1h30m or 2d, or when, such as 2026-01-02T03:04:05Z, \"2026-01-02 03:04\", "
    "03:04, \"yesterday 03:04\", yesterday or now";

/// The moment that is meant `now`: a duration (parse_duration()) before now, also as "-5min" or "5 minutes ago"; a time of RFC
/// 3339; its date, its date and time, or a time of today, with a space for the T, without seconds, and without a zone, which
/// then is the local one; "now"; "today" and "yesterday", with a time behind it or at midnight; seconds since 1970 as docker (ten
/// digits or more) and systemd ("@1") have them. With a zone, today is its day. Before a date its weekday may stand. It may be
/// later than now. An Error says what is wrong.
[[nodiscard]] Result<std::chrono::system_clock::time_point> parse_moment(
    std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace flowtap
