#include "base/rfc3339.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace flowtap {
namespace {

using std::chrono::days;
using std::chrono::nanoseconds;

/// The number in the `width` characters at `at`, all of which are digits.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t width) {
  unsigned value = 0;
  for (const char c : text.substr(at, width)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

/// ".678" as nanoseconds; an empty text is 0 nanoseconds.
std::optional<nanoseconds> fraction(std::string_view text) {
  if (text.empty()) return nanoseconds(0);
  if (text.front() != '.' || text.size() < 2 || text.size() > 10) return std::nullopt;
  auto value = digits(text, 1, text.size() - 1);
  if (!value) return std::nullopt;
  for (std::size_t i = text.size(); i < 10; ++i) *value *= 10;
  return nanoseconds(*value);
}

/// The offset to subtract: of "Z" it is 0, of "+02:00" two hours.
std::optional<std::chrono::minutes> zone(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes ahead(*hours * 60 + *minutes);
  return text[0] == '+' ? ahead : -ahead;
}

}  // namespace

std::string rfc3339_nano(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<nanoseconds>(time.time_since_epoch());
  const auto day = std::chrono::floor<days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const std::chrono::hh_mm_ss clock(since - day);
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<std::chrono::system_clock::time_point> parse_rfc3339(std::string_view text) {
  static constexpr std::string_view kForm = "....-..-..T..:..:..";
  if (text.size() <= kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] != '.' && text[i] != kForm[i]) return std::nullopt;
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  const std::string_view behind = text.substr(kForm.size());
  const std::size_t zone_at = std::min(behind.find_first_of("Zz+-"), behind.size());
  const auto rest = fraction(behind.substr(0, zone_at));
  const auto ahead = zone(behind.substr(zone_at));
  if (!year || !month || !day || !hour || !minute || !second || !rest || !ahead) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  // The years that the clock can hold in nanoseconds: 1677 to 2262.
  if (!date.ok() || *year < 1678 || *year > 2261 || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) + *rest - *ahead;
}

}  // namespace flowtap
