#include "outer_time.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "base/ascii.hpp"
#include "base/rfc3339.hpp"
#include "stream/lines/klog/klog_time.hpp"
#include "tai64.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kFar = 1024;  // bytes between a record and its time
constexpr std::size_t kLongestDigits = 19;

std::size_t digits_at(std::string_view text) {
  const auto* const end = std::ranges::find_if_not(text, is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

// "2026-11-26 10:00:00,103+0000" in the strict form: with T, a full stop and a colon in the zone.
std::optional<std::uint64_t> of_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd?dd:dd:dd";
  if (text.size() < kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : kForm[i] != '?' && text[i] != kForm[i]) return std::nullopt;
  }
  if (const char between = text[10]; between != 'T' && between != 't' && between != ' ') return std::nullopt;
  std::string strict(text.substr(0, kForm.size()));
  strict[10] = 'T';
  text.remove_prefix(kForm.size());
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    const std::size_t digits = digits_at(text.substr(1));
    strict.append(1, '.').append(text.substr(1, std::min<std::size_t>(digits, 9)));
    text.remove_prefix(1 + digits);
  }
  const std::size_t hours =
      text.empty() || (text[0] != '+' && text[0] != '-') ? 0 : digits_at(text.substr(1));
  if (hours == 4)
    strict.append(text.substr(0, 3)).append(1, ':').append(text.substr(3, 2));
  else if (hours == 2 && text.size() >= 6 && text[3] == ':' && digits_at(text.substr(4)) == 2)
    strict.append(text.substr(0, 6));
  else
    strict += 'Z';
  const auto time = parse_rfc3339(strict);
  if (!time || time->time_since_epoch().count() <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time->time_since_epoch()).count());
}

// Takes a number of at most `most` digits and the sign behind it, and puts it out with two digits at least.
bool take_part(std::string_view& text, std::size_t most, char behind, std::string& out) {
  const std::size_t digits = digits_at(text);
  if (digits == 0 || digits > most || text.substr(digits, 1) != std::string_view(&behind, 1)) return false;
  out.assign(digits < 2 ? 1 : 0, '0').append(text.substr(0, digits));
  text.remove_prefix(digits + 1);
  return true;
}

// "11/26/2026, 1:00:00.100 PM", as web pages show times, in UTC; also with the day first.
std::optional<std::uint64_t> of_slashes(std::string_view text, bool day_first) {
  std::string month;
  std::string day;
  std::string year;
  std::string hour;
  if (!take_part(text, 2, '/', day_first ? day : month) || !take_part(text, 2, '/', day_first ? month : day))
    return std::nullopt;
  const std::size_t digits = digits_at(text);
  if (digits != 4) return std::nullopt;
  year = text.substr(0, digits);
  text.remove_prefix(digits);
  text.remove_prefix(text.starts_with(", ") ? 2 : text.starts_with(' ') ? 1 : 0);
  if (!take_part(text, 2, ':', hour)) return std::nullopt;
  const std::string_view time = text.substr(0, text.find_first_not_of("0123456789:."));
  const std::string_view half = text.substr(time.size(), 3);
  if (half == " AM" && hour == "12") hour = "00";
  if (half == " PM" && hour < "12") hour = std::to_string((hour[0] - '0') * 10 + (hour[1] - '0') + 12);
  std::string strict = year;
  strict.append(1, '-').append(month).append(1, '-').append(day).append(1, 'T').append(hour);
  return of_date(strict.append(1, ':').append(time));
}

// Since September 2001 such a number of seconds has ten digits, and has them for two centuries more.
std::optional<std::uint64_t> of_number(std::string_view digits) {
  std::uint64_t scale = 0;
  switch (digits.size()) {
    case 10:
      scale = 1'000'000'000;
      break;
    case 13:
      scale = 1'000'000;
      break;
    case 16:
      scale = 1000;
      break;
    case kLongestDigits:
      scale = 1;
      break;
    default:
      return std::nullopt;
  }
  std::uint64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
    return std::nullopt;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63U;
  return value < kMost / scale ? std::optional(value * scale) : std::nullopt;
}

/// Gives `take` each time in the text, in its order, until that returns true.
template <typename Take>
void each_time(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const auto may_begin = [](char c) { return is_digit(c) || c == '@'; };
    text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(text, may_begin) - text.begin()));
    if (text.starts_with('@')) {
      const std::size_t label = length_of_tai64(text);
      const auto time = label > 0 ? time_of_tai64(text.substr(0, label)) : std::nullopt;
      if (time && take(*time)) return;
      text.remove_prefix(std::max<std::size_t>(label, 1));
      continue;
    }
    const std::size_t digits = digits_at(text);
    if (digits <= 2)
      for (const bool day_first : {false, true})
        if (const auto shown = of_slashes(text, day_first); shown && take(*shown)) return;
    const auto time = digits == 4 ? of_date(text) : of_number(text.substr(0, digits));
    if (time && take(*time)) return;
    text.remove_prefix(digits);
  }
}

}  // namespace

std::uint64_t first_time(std::string_view text) {
  std::uint64_t found = 0;
  each_time(text.substr(0, kFar), [&found](std::uint64_t time) {
    found = time;
    return true;
  });
  return found;
}

std::uint64_t outer_time(const flow::KlogRecord& record, std::string_view before, std::string_view behind) {
  const auto agrees = [&record](std::uint64_t time) { return flow::klog_instant(record, time).has_value(); };
  std::uint64_t found = 0;
  each_time(before.substr(before.size() - std::min(before.size(), kFar)), [&](std::uint64_t time) {
    if (agrees(time)) found = time;
    return false;
  });
  if (found != 0) return found;
  each_time(behind.substr(0, kFar), [&](std::uint64_t time) {
    if (agrees(time)) found = time;
    return found != 0;
  });
  return found;
}

}  // namespace flowtap::cli
