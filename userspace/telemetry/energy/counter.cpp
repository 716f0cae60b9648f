#include "telemetry/energy/counter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace flowtap::telemetry {
namespace {

constexpr std::uint64_t kRegisterMost = 0xffffffffU;
constexpr std::uint64_t kNanoPerMicro = 1000;

}  // namespace

EnergyModulus energy_modulus(std::uint64_t range) {
  if (range <= std::numeric_limits<std::uint64_t>::max() / kNanoPerMicro) {
    // The kernel rounded off less than a microjoule of 4294967295 units: rounding up finds the unit again.
    const std::uint64_t unit = (range * kNanoPerMicro + kRegisterMost - 1) / kRegisterMost;
    if (unit != 0 && unit <= std::numeric_limits<std::uint64_t>::max() / (kRegisterMost + 1) &&
        kRegisterMost * unit / kNanoPerMicro == range) {
      const std::uint64_t nj = (kRegisterMost + 1) * unit;
      return {nj / kNanoPerMicro, nj % kNanoPerMicro};
    }
  }
  return {std::max(range, range + 1), 0};
}

EnergyStep EnergyCounter::read(std::uint64_t value, std::uint64_t range, EnergyClock::time_point now) {
  const auto before = std::exchange(last_, Reading{value, range, now});
  if (!before) return {};
  if (before->range != range) return {.jumped = true};  // its units have changed

  if (value >= before->value) {
    const std::uint64_t uj = value - before->value;
    if (!possible(uj, now - before->at)) return {.jumped = true};
    return {.uj = uj, .known = true};
  }
  if (range == 0) return {.jumped = true};
  const EnergyModulus modulus = energy_modulus(range);
  const std::uint64_t nj = nanojoules_ + modulus.nj;
  const std::uint64_t uj = modulus.uj - before->value + value + nj / kNanoPerMicro;
  if (!possible(uj, now - before->at)) return {.jumped = true};
  nanojoules_ = nj % kNanoPerMicro;
  return {.uj = uj, .known = true};
}

bool EnergyCounter::possible(std::uint64_t uj, EnergyClock::duration since) const {
  // One second more, because the register is set each millisecond, and the reader may have to wait for a CPU between
  // the clock and the register.
  const auto limit = std::max(since, EnergyClock::duration{}) + std::chrono::seconds(1);
  const auto us =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(limit).count());
  return uj / most_watts_ <= us;  // watts times microseconds are microjoules
}

}  // namespace flowtap::telemetry
