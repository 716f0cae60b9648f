#include "telemetry/devices/nvml/nvml_pcie.hpp"

#include <cmath>
#include <utility>

namespace flowtap::telemetry::nvml {
namespace {

constexpr double kRound = 4294967296.0;  // 2^32
// When in its round a device is read depends on how long the others take.
constexpr std::chrono::milliseconds kJitter{250};

}  // namespace

std::optional<std::uint64_t> PcieCounter::next(std::uint64_t read, bool wide, std::optional<double> most,
                                               DeviceClock::time_point now) {
  wide_ = wide_ || (wide && static_cast<double>(read) >= kRound);
  const auto before = std::exchange(last_, read);
  const std::chrono::duration<double> between = now - std::exchange(at_, now) + kJitter;
  if (wide_) {
    // A lower value means that the driver was loaded anew.
    if (before && *before < read) counted_ += read - *before;
    return counted_;
  }
  if (!before || !most || *most * between.count() >= kRound) return std::nullopt;
  const auto more = static_cast<std::uint32_t>(read) - static_cast<std::uint32_t>(*before);
  // That is more than the link can carry: the counter did not wrap, but began anew.
  if (more <= *most * between.count()) counted_ += more;
  return counted_;
}

std::optional<double> pcie_most(unsigned generation, unsigned lanes) {
  constexpr unsigned kMostGeneration = 10;
  constexpr unsigned kMostLanes = 32;
  constexpr double kFirst =
      250e6;  // one lane; each generation has twice that of the one before, or a little less
  if (generation == 0 || generation > kMostGeneration || lanes == 0 || lanes > kMostLanes)
    return std::nullopt;
  return std::ldexp(kFirst, static_cast<int>(generation) - 1) * lanes;
}

}  // namespace flowtap::telemetry::nvml
