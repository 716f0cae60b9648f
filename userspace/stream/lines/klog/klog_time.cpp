#include "stream/lines/klog/klog_time.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap::flow {
namespace {

using Micros = std::chrono::microseconds;
constexpr auto kYear = static_cast<std::uint64_t>(Micros(std::chrono::days(366)).count());
// No record is on its way for longer, and no zone is so near to UTC.
constexpr std::int64_t kLatest = Micros(std::chrono::minutes(15)).count();
constexpr double kMostMillis = 253'402'300'800'000;  // the year 10000 begins
constexpr std::array<unsigned, 12> kDaysBefore = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};

KlogTime in_year(unsigned month, unsigned day, Micros of_day) {
  if (month < 1 || month > kDaysBefore.size() || day < 1 || day > 31) return std::nullopt;
  const Micros days = std::chrono::days(kDaysBefore.at(month - 1) + day - 1);
  return static_cast<std::uint64_t>((days + of_day).count()) % kYear;
}

// "0821 07:12:30.004211"
KlogTime of_text(std::string_view stamp) {
  constexpr std::string_view kForm = "dddd dd:dd:dd.dddddd";
  if (stamp.size() != kForm.size()) return std::nullopt;
  std::array<unsigned, kForm.size()> digits{};
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = is_digit(stamp[i]);
    if (digit != (kForm[i] == 'd') || (!digit && stamp[i] != kForm[i])) return std::nullopt;
    digits.at(i) = digit ? static_cast<unsigned>(stamp[i] - '0') : 0;
  }
  const auto number = [&](std::size_t begin, std::size_t size) {
    unsigned value = 0;
    for (std::size_t i = begin; i < begin + size; ++i) value = value * 10 + digits.at(i);
    return value;
  };
  return in_year(number(0, 2), number(2, 2),
                 std::chrono::hours(number(5, 2)) + std::chrono::minutes(number(8, 2)) +
                     std::chrono::seconds(number(11, 2)) + Micros(number(14, 6)));
}

using SysTime = std::chrono::sys_time<Micros>;

KlogTime of_year(SysTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  return in_year(static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time - day);
}

// ms since 1970, with a fraction; 0 is nobody's time
std::optional<SysTime> of_json(std::string_view stamp) {
  double millis = 0;
  const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), millis);
  if (error != std::errc{} || end != stamp.data() + stamp.size() || !(millis > 0 && millis < kMostMillis))
    return std::nullopt;
  return SysTime(Micros(static_cast<std::int64_t>(millis * 1000)));
}

}  // namespace

KlogTime klog_time(const KlogRecord& record) {
  if (record.form == KlogForm::kText) return of_text(record.stamp);
  const auto time = of_json(record.stamp);
  return time ? of_year(*time) : std::nullopt;
}

KlogInstant klog_instant(const KlogRecord& record, std::uint64_t kept) {
  using Clock = std::chrono::system_clock;
  if (record.form == KlogForm::kJson) {
    const auto time = of_json(record.stamp);
    if (!time || *time > std::chrono::floor<Micros>(Clock::time_point::max())) return std::nullopt;
    return *time;
  }
  const KlogTime said = of_text(record.stamp);
  if (!said || kept == 0) return std::nullopt;
  const SysTime at(Micros(static_cast<std::int64_t>(kept / 1000)));
  auto late = static_cast<std::int64_t>((of_year(at).value_or(0) + kYear - *said) % kYear);
  if (late > static_cast<std::int64_t>(kYear / 2)) late -= static_cast<std::int64_t>(kYear);
  if (late > kLatest || -late > kLatest) return std::nullopt;
  return at - Micros(late);
}

std::int64_t micros_between(const KlogTime& a, const KlogTime& b) {
  if (!a || !b) return 0;
  const std::uint64_t later = (*b + kYear - *a) % kYear;
  return later < kYear / 2 ? static_cast<std::int64_t>(later) : -static_cast<std::int64_t>(kYear - later);
}

bool is_earlier(const KlogTime& a, const KlogTime& b) {
  return micros_between(a, b) > 0;
}

}  // namespace flowtap::flow
