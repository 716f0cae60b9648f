#include "base/time/moment.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <utility>

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
constexpr std::string_view kDate = "0000-00-00";
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Whether `text` has digits where `form` has 0, and the same characters elsewhere.
bool has_form(std::string_view text, std::string_view form) {
  return text.size() == form.size() && std::ranges::equal(text, form, [](char is, char wanted) {
           return wanted == '0' ? is_digit(is) : is == wanted;
         });
}

/// In upper or lower case, short or long, as in systemd.time(7): "Fri" or "Friday".
std::optional<std::chrono::weekday> weekday_named(std::string_view word) {
  constexpr std::size_t kShort = 3;
  std::string name;
  for (const char c : word) name += to_lower(c);
  for (unsigned i = 0; i < kWeekdays.size(); ++i)
    if (name == kWeekdays.at(i) || name == kWeekdays.at(i).substr(0, kShort)) return std::chrono::weekday(i);
  return std::nullopt;
}

/// The day of `now` where this machine is.
std::string local_day(Clock::time_point now, int days_before) {
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

/// How far a zone, "Z" or "+hh:mm", is ahead of UTC. Absent: it is none.
std::optional<std::chrono::minutes> offset_of(std::string_view zone) {
  if (zone == "Z") return std::chrono::minutes(0);
  if (zone.size() < 2 || !has_form(zone.substr(1), "00:00")) return std::nullopt;
  const auto number = [zone](std::size_t at) { return 10 * (zone[at] - '0') + zone[at + 1] - '0'; };
  const std::chrono::minutes ahead = std::chrono::hours(number(1)) + std::chrono::minutes(number(4));
  return zone.front() == '-' ? -ahead : ahead;
}

/// The day of `now` in this zone; in an empty one, where this machine is. Empty: it is not known.
std::string day_in(std::string_view zone, Clock::time_point now, int days_before) {
  if (zone.empty()) return local_day(now, days_before);
  const auto ahead = offset_of(zone);
  if (!ahead) return {};
  return rfc3339_nano(now + *ahead - std::chrono::days(days_before)).substr(0, kDate.size());
}

/// Takes a weekday before a date. False: it stands before something else, or the date has another one.
bool take_weekday(std::string_view& text) {
  const std::size_t space = text.find(' ');
  const auto weekday = weekday_named(text.substr(0, space));
  if (!weekday) return true;
  if (space == std::string_view::npos) return false;
  text.remove_prefix(space + 1);
  const std::string_view date = text.substr(0, kDate.size());
  const auto midnight = parse_rfc3339(std::string(date).append("T00:00:00Z"));
  return midnight && std::chrono::weekday(std::chrono::floor<std::chrono::days>(*midnight)) == *weekday;
}

/// Takes the zone behind a time, as RFC 3339 has it. Empty: there is none.
std::string take_zone(std::string_view& text) {
  constexpr std::string_view kUtc = " UTC";
  for (const std::string_view utc : {kUtc, std::string_view("Z")})
    if (text.ends_with(utc)) {
      text.remove_suffix(utc.size());
      return "Z";
    }
  // A date has a "-", too.
  const std::size_t at = text.find_last_of("+-");
  if (at == std::string_view::npos || text.find(':') > at) return {};
  std::string zone(text.substr(at));
  if (has_form(std::string_view(zone).substr(1), "0000")) zone.insert(3, ":");
  text = text.substr(0, at);
  if (text.ends_with(' ')) text.remove_suffix(1);
  return zone;
}

/// Adds what a date and time leave out, up to the zone; empty: it is none.
std::string completed(std::string_view time, std::string_view zone, Clock::time_point now) {
  std::string whole(time);
  if (time.find(':') == 2) whole.insert(0, day_in(zone, now, 0).append(1, 'T'));
  for (const auto& [word, days_before] : {std::pair<std::string_view, int>{"today", 0}, {"yesterday", 1}})
    if (time == word || (time.starts_with(word) && time[word.size()] == ' '))
      whole.replace(0, word.size(), day_in(zone, now, days_before));
  if (whole.size() > kDate.size() && whole[kDate.size()] == ' ') whole[kDate.size()] = 'T';
  if (has_form(whole, kDate)) return whole + "T00:00:00";
  if (has_form(whole, "0000-00-00T00:00")) return whole + ":00";
  if (has_form(whole.substr(0, 19), "0000-00-00T00:00:00")) return whole;
  return {};
}

/// A date, a time, or both, with a zone or without.
Moment written_moment(std::string_view text, Clock::time_point now) {
  if (!take_weekday(text)) return std::nullopt;
  const std::string zone = take_zone(text);
  const std::string whole = completed(text, zone, now);
  if (whole.empty()) return std::nullopt;
  return zone.empty() ? local_moment(whole) : parse_rfc3339(whole + zone);
}

/// Seconds since 1970, perhaps with a fraction.
Moment unix_moment(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  if (!std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; })) return std::nullopt;
  const auto since = parse_duration(std::string(text) + "s");  // it takes no second dot
  return since ? Moment(Clock::time_point(*since)) : std::nullopt;
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
  if (text.starts_with('@')) return unix_moment(text.substr(1));
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
