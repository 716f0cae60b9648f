// One energy counter of the machine: what it has counted, through wraps and jumps, in whole microjoules throughout.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// Where a counter begins again at 0: after `uj` microjoules and `nj` thousandths of one.
struct EnergyModulus {
  std::uint64_t uj = 0;
  std::uint64_t nj = 0;

  bool operator==(const EnergyModulus&) const = default;
};

/// The wrap of a counter whose largest value is `range` (max_energy_range_uj), which is not 0.
///
/// RAPL's register has 32 bits. The kernel shows value * unit / 1000 and as range 0xffffffff * unit / 1000, both
/// rounded down, with a unit of whole nanojoules (drivers/powercap/intel_rapl_common.c: get_max_energy_counter,
/// rapl_unit_xlate, rapl_check_unit_core). It wraps one unit after its largest value: at 2^32 * unit / 1000, 61 uJ more
/// than the range says where the unit is 2^-14 J. The range determines the unit exactly. If it does not, the counter is
/// another driver's, and begins again one microjoule after its range.
[[nodiscard]] EnergyModulus energy_modulus(std::uint64_t range);

/// What one reading adds.
struct EnergyStep {
  std::uint64_t uj = 0;  ///< counted since the last reading
  bool known = false;    ///< false: the first reading, or a jump; nothing is known about the time before it
  bool jumped = false;   ///< the counter went back or ahead by more than a wrap or a machine explains
};

class EnergyCounter {
 public:
  /// `most_watts`: no machine draws more through what this counts. It only serves to tell a wrap from a jump.
  explicit EnergyCounter(std::uint64_t most_watts) : most_watts_(most_watts) {}

  /// A reading of `value` microjoules at `now`; `range` is its largest value, 0 where it never wraps.
  ///
  /// A value under the last one is a wrap if the energy that this would mean could have been used since then. Otherwise
  /// the counter was set back (a module loaded anew, a machine that slept), and counting goes on from there: a false
  /// wrap would be 262 kJ of nothing. A step ahead has to pass the same test. Of several wraps between two readings
  /// only the last is seen: at 500 W a package wraps every 8.7 minutes.
  EnergyStep read(std::uint64_t value, std::uint64_t range, EnergyClock::time_point now);

  /// Nothing is known about the time until the next reading.
  void forget() { last_.reset(); }

 private:
  struct Reading {
    std::uint64_t value;
    std::uint64_t range;
    EnergyClock::time_point at;
  };

  [[nodiscard]] bool possible(std::uint64_t uj, EnergyClock::duration since) const;

  std::uint64_t most_watts_;
  std::uint64_t nanojoules_ = 0;  // under 1000; what wraps have left over
  std::optional<Reading> last_;
};

}  // namespace flowtap::telemetry
