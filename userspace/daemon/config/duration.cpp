#include "daemon/config/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>

namespace flowtap {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array kUnits = {DurationUnit{"h", 3'600'000}, DurationUnit{"m", 60'000},
                               DurationUnit{"s", 1'000}, DurationUnit{"ms", 1}};

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const DurationUnit& unit : kUnits) {
    if (text != unit.name) continue;
    std::int64_t milliseconds = 0;
    if (__builtin_mul_overflow(number, unit.milliseconds, &milliseconds)) return std::nullopt;
    return std::chrono::milliseconds(milliseconds);
  }
  return std::nullopt;
}

std::string format_duration(std::chrono::milliseconds duration) {
  for (const DurationUnit& unit : kUnits)
    if (duration.count() != 0 && duration.count() % unit.milliseconds == 0)
      return fmt::format("{}{}", duration.count() / unit.milliseconds, unit.name);
  return "0s";
}

}  // namespace flowtap
