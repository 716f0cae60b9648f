#include "stats/backends/sample.hpp"

#include <array>
#include <charconv>

namespace flowtap::stats {
namespace {

constexpr std::uint64_t kNanosPerUnit = 1'000'000'000;

// Every power of two that is an edge, up to the longest time that nanoseconds can hold.
constexpr std::size_t kEdges = 64 - FTAP_HIST_MIN_LOG2;

std::array<std::string, kEdges> edges() {
  std::array<std::string, kEdges> all;
  for (std::size_t i = 0; i < all.size(); ++i)
    all.at(i) = nano_text(std::uint64_t{1} << (FTAP_HIST_MIN_LOG2 + i));
  return all;
}

}  // namespace

std::string_view edge_text(std::size_t bucket, unsigned widened) {
  static const auto kTexts = edges();
  return kTexts.at(bucket + widened);
}

std::uint64_t nanos(double total) {
  const double scaled = total * static_cast<double>(kNanosPerUnit);
  if (!(scaled > 0)) return 0;
  // 2^63 nanoseconds are 292 years. Beyond that the total stands still, as a conversion would be undefined.
  constexpr double kMost = 9.2e18;
  return static_cast<std::uint64_t>(std::llround(scaled < kMost ? scaled : kMost));
}

std::string nano_text(std::uint64_t n) {
  const std::string text = std::to_string(n / kNanosPerUnit);
  std::string fraction = std::to_string(kNanosPerUnit + n % kNanosPerUnit).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + '.' + fraction;
}

std::string gauge_text(double value) {
  std::array<char, 400> buffer{};  // the longest double without exponent has 309 digits before the point
  auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  // Denormals have more digits after the point than that; for every receiver they are zero.
  if (result.ec != std::errc{}) return "0";
  return {buffer.data(), result.ptr};
}

}  // namespace flowtap::stats
