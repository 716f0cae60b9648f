#include "base/time/moment.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "base/time/duration.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::system_clock;
using Moment = std::optional<Clock::time_point>;

// A number without a unit is a moment only if nobody can take it for a duration: docker means seconds since 1970 by it.
constexpr std::size_t kUnixDigits = 10;
constexpr std::size_t kLongestMoment = 64;
// Whether it is winter or summer, the machine's zone knows.
constexpr int kZoneKnows = -1;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Whether `text` has digits where `form` has 0, and the same characters elsewhere.
bool has_form(std::string_view text, std::string_view form) {
  return text.size() == form.size() && std::ranges::equal(text, form, [](char is, char wanted) {
           return wanted == '0' ? is_digit(is) : is == wanted;
         });
}

/// The day of `now` where this machine is.
std::string local_day(Clock::time_point now, int days_before = 0) {
  const std::time_t seconds = Clock::to_time_t(now);
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return {};
  local.tm_mday -= days_before;
  local.tm_hour = 12;  // a midnight may not exist
  local.tm_isdst = kZoneKnows;
  if (std::mktime(&local) == -1) return {};
  std::array<char, 16> day{};
  return {day.data(), std::strftime(day.data(), day.size(), "%Y-%m-%d", &local)};
}

/// A time without a zone, in the form of RFC 3339.
Moment local_moment(const std::string& text) {
  const auto as_utc = parse_rfc3339(text + "Z");
  if (!as_utc) return std::nullopt;
  const auto whole = std::chrono::floor<std::chrono::seconds>(*as_utc);
  const std::time_t seconds = Clock::to_time_t(whole);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return std::nullopt;
  parts.tm_isdst = kZoneKnows;
  const std::time_t local = std::mktime(&parts);
  if (local == -1) return std::nullopt;
  return Clock::from_time_t(local) + (*as_utc - whole);
}

/// Adds what a date and time leave out, up to the zone; empty: it is none.
std::string completed(std::string_view time, Clock::time_point now) {
  std::string whole;
  if (const std::size_t clock = time.find(':'); clock == 2) whole = local_day(now) + "T";
  whole += time;
  if (has_form(whole.substr(0, 10), "0000-00-00") && whole.size() > 10 && whole[10] == ' ') whole[10] = 'T';
  if (has_form(whole, "0000-00-00")) return whole + "T00:00:00";
  if (has_form(whole, "0000-00-00T00:00")) return whole + ":00";
  if (has_form(whole.substr(0, 19), "0000-00-00T00:00:00")) return whole;
  return {};
}

/// A date, a time, or both, with a zone or without.
Moment written_moment(std::string_view text, Clock::time_point now) {
  if (const std::size_t space = text.find(' '); space != std::string_view::npos && !is_digit(text.front()))
    text.remove_prefix(space + 1);  // a weekday
  std::string zone;
  if (text.ends_with(" UTC")) {
    zone = "Z";
    text.remove_suffix(4);
  } else if (text.ends_with('Z')) {
    zone = "Z";
    text.remove_suffix(1);
  } else if (const std::size_t at = text.find_last_of("+-"); at != std::string_view::npos && at >= 13) {
    zone = text.substr(at);
    if (has_form(zone.substr(1), "0000")) zone.insert(3, ":");
    text = text.substr(0, at);
    if (text.ends_with(' ')) text.remove_suffix(1);
  }
  const std::string whole = completed(text, now);
  if (whole.empty()) return std::nullopt;
  return zone.empty() ? local_moment(whole) : parse_rfc3339(whole + zone);
}

/// Seconds since 1970, perhaps with a fraction.
Moment unix_moment(std::string_view text) {
  const auto since = parse_duration(std::string(text) + "s");
  return since && is_digit(text.front()) && !text.contains(' ') ? Moment(Clock::time_point(*since))
                                                                : std::nullopt;
}

Moment ago(std::string_view text, Clock::time_point now) {
  constexpr std::string_view kAgo = " ago";
  if (text.starts_with('-'))
    text.remove_prefix(1);
  else if (text.ends_with(kAgo))
    text.remove_suffix(kAgo.size());
  const auto before = parse_duration(text);
  if (!before) return std::nullopt;
  // All that there can be is younger than the clock's beginning.
  return now - std::min<std::chrono::nanoseconds>(*before, now.time_since_epoch());
}

Moment moment_of(std::string_view text, Clock::time_point now) {
  if (text.empty() || text.size() > kLongestMoment) return std::nullopt;
  if (text == "now") return now;
  if (text == "today") return local_moment(local_day(now) + "T00:00:00");
  if (text == "yesterday") return local_moment(local_day(now, 1) + "T00:00:00");
  if (text.starts_with('@')) return text.size() > 1 ? unix_moment(text.substr(1)) : std::nullopt;
  if (const std::string_view whole = text.substr(0, text.find('.'));
      is_number(whole) && whole.size() >= kUnixDigits)
    if (const Moment moment = unix_moment(text)) return moment;
  if (const Moment moment = ago(text, now)) return moment;
  return written_moment(text, now);
}

}  // namespace

Result<Clock::time_point> parse_moment(std::string_view text, Clock::time_point now) {
  if (const Moment moment = moment_of(text, now)) return *moment;
  if (is_number(text) && text.size() < kUnixDigits) {
    const std::string number(text);
    return fail(in_quotes(text) + " has no unit",
                number + "s, " + number + "m, " + number + "h and " + number + "d say how long ago");
  }
  return fail(in_quotes(text) + " is no time", std::string("accepted: ").append(kMoments));
}

}  // namespace flowtap
