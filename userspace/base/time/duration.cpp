#include "base/time/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/ascii.hpp"

namespace flowtap {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000 * kMicrosecond;
constexpr std::int64_t kSecond = 1'000 * kMillisecond;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kWeek = 7 * kDay;
// systemd.time(7): a year has 365.25 days, and a month a twelfth of it.
constexpr std::int64_t kYear = 365 * kDay + 6 * kHour;
constexpr std::int64_t kMonth = kYear / 12;

constexpr std::array kUnits = {DurationUnit{"ns", 1},
                               DurationUnit{"nsec", 1},
                               DurationUnit{"us", kMicrosecond},
                               DurationUnit{"µs", kMicrosecond},
                               DurationUnit{"μs", kMicrosecond},
                               DurationUnit{"usec", kMicrosecond},
                               DurationUnit{"ms", kMillisecond},
                               DurationUnit{"msec", kMillisecond},
                               DurationUnit{"s", kSecond},
                               DurationUnit{"sec", kSecond},
                               DurationUnit{"second", kSecond},
                               DurationUnit{"seconds", kSecond},
                               DurationUnit{"m", kMinute},
                               DurationUnit{"min", kMinute},
                               DurationUnit{"mins", kMinute},
                               DurationUnit{"minute", kMinute},
                               DurationUnit{"minutes", kMinute},
                               DurationUnit{"h", kHour},
                               DurationUnit{"hr", kHour},
                               DurationUnit{"hour", kHour},
                               DurationUnit{"hours", kHour},
                               DurationUnit{"d", kDay},
                               DurationUnit{"day", kDay},
                               DurationUnit{"days", kDay},
                               DurationUnit{"w", kWeek},
                               DurationUnit{"week", kWeek},
                               DurationUnit{"weeks", kWeek},
                               DurationUnit{"month", kMonth},
                               DurationUnit{"months", kMonth},
                               DurationUnit{"year", kYear},
                               DurationUnit{"years", kYear}};

// What format_duration() writes, the largest first.
constexpr std::array kWritten = {DurationUnit{"h", kHour}, DurationUnit{"m", kMinute},
                                 DurationUnit{"s", kSecond}, DurationUnit{"ms", kMillisecond}};

// Digits beyond the ninth are less than a nanosecond of a second, and are left out.
constexpr std::size_t kFractionDigits = 9;

struct Number {
  std::int64_t whole = 0;
  double fraction = 0;  // from 0 to below 1
};

/// Takes "1", "1.5" or ".5" from the front.
std::optional<Number> take_number(std::string_view& text) {
  Number number;
  const auto digits = [](std::string_view of) {
    return of.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(of, is_digit) - of.begin()));
  };
  const std::string_view whole = digits(text);
  text.remove_prefix(whole.size());
  if (!whole.empty() &&
      std::from_chars(whole.data(), whole.data() + whole.size(), number.whole).ec != std::errc{})
    return std::nullopt;
  if (!text.starts_with('.')) return whole.empty() ? std::nullopt : std::optional(number);
  text.remove_prefix(1);
  const std::string_view behind = digits(text);
  if (behind.empty()) return std::nullopt;
  double place = 1;
  for (const char digit : behind.substr(0, kFractionDigits)) number.fraction += (digit - '0') * (place /= 10);
  text.remove_prefix(behind.size());
  return number;
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// Takes the unit from the front, up to the next number or space.
const DurationUnit* take_unit(std::string_view& text) {
  const auto* const end =
      std::ranges::find_if(text, [](char c) { return is_digit(c) || c == '.' || c == ' '; });
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto* const unit = std::ranges::find(kUnits, name, &DurationUnit::name);
  if (unit == kUnits.end()) return nullptr;
  text.remove_prefix(name.size());
  return unit;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return std::nullopt;
  std::int64_t sum = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    skip_spaces(text);
    const DurationUnit* const unit = number ? take_unit(text) : nullptr;
    if (unit == nullptr) return std::nullopt;
    skip_spaces(text);
    std::int64_t whole = 0;
    const std::int64_t rest = std::llround(number->fraction * static_cast<double>(unit->nanoseconds));
    if (__builtin_mul_overflow(number->whole, unit->nanoseconds, &whole) ||
        __builtin_add_overflow(sum, whole, &sum) || __builtin_add_overflow(sum, rest, &sum))
      return std::nullopt;
  }
  return std::chrono::nanoseconds(sum);
}

std::string format_duration(std::chrono::milliseconds duration) {
  for (const DurationUnit& unit : kWritten) {
    const std::int64_t milliseconds = unit.nanoseconds / kMillisecond;
    if (duration.count() != 0 && duration.count() % milliseconds == 0)
      return std::to_string(duration.count() / milliseconds).append(unit.name);
  }
  return "0s";
}

}  // namespace flowtap
