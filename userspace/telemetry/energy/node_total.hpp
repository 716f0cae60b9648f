// What the node used in total. Counters overlap, so this says which of them make it up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "telemetry/energy/parts.hpp"

namespace flowtap::telemetry {

/// Which counters are added up. The order puts those first that tell more.
enum class EnergyBasis : std::uint8_t {
  kNone,
  kPlatform,  ///< psys
  kPackages,  ///< all packages and their dram
  kSockets,   ///< amd_energy's
  kMeter,     ///< a power meter of the machine
};

/// "psys", "packages", "sockets", "meter"; "none".
[[nodiscard]] std::string_view basis_name(EnergyBasis basis);

/// Intel's manual (volume 3, "RAPL Domains"; volume 4, MSR_PLATFORM_ENERGY_COUNTER) says: the package's counter
/// includes core (PP0) and uncore (PP1) and not dram; the platform's includes all that the platform feeds: packages,
/// memory, add-on devices. On a machine of several sockets only one has a psys that counts, for all of them (Linux
/// commit "powercap: intel_rapl: enumerate Psys RAPL domain together with package RAPL domain"). What psys measures is
/// up to the board: on some it stands still or shows a fraction. So it is the node's total only while there is just
/// one, and while it never falls behind the packages that it includes; once it does, it is not used again. A power
/// meter comes last: its readings are seconds old, and between two of them anything may have been drawn. Once chosen, a
/// basis stays until it is away for kEnergyAway.
class NodeTotal {
 public:
  /// The node's energy since the call before. Absent: nothing that makes it up was read; what it counts meanwhile is
  /// added when it is back. After kEnergyAway without a reading others are chosen, and count from then on: the same
  /// energy is never in it twice. `lacking`: what exists beside the parts that were read.
  std::optional<std::uint64_t> add(std::span<const EnergyPart> parts, EnergyClock::time_point now,
                                   std::span<const LackingPart> lacking = {});

  [[nodiscard]] EnergyBasis basis() const { return basis_; }

  /// How much of the last add() add-on devices may have drawn: for a platform, what the packages and their dram did
  /// not; for a meter, all of it. Absent: it does not include devices.
  [[nodiscard]] std::optional<std::uint64_t> devices_room() const { return devices_room_; }

  /// How many of the parts that make up the basis, or should, were not read in the last add(). It remembers them as
  /// long as the basis stays: a package that is gone for good is missing from its sum for good.
  [[nodiscard]] std::size_t missing() const { return missing_; }

 private:
  struct Sum;

  [[nodiscard]] static Sum sum_of(std::span<const EnergyPart> parts, EnergyBasis basis,
                                  EnergyClock::time_point from);
  [[nodiscard]] EnergyBasis choose(std::span<const EnergyPart> parts) const;
  [[nodiscard]] bool falls_behind(std::span<const EnergyPart> parts);
  [[nodiscard]] std::optional<std::uint64_t> room_in(std::uint64_t uj,
                                                     std::span<const EnergyPart> parts) const;
  void stand_on(EnergyBasis basis);
  void look_for_missing(std::span<const EnergyPart> parts, std::span<const LackingPart> lacking);

  EnergyBasis basis_ = EnergyBasis::kNone;
  EnergyClock::time_point from_;    // from when on the basis counts
  EnergyClock::time_point before_;  // the call before
  EnergyClock::time_point seen_;    // when something of the basis was read last
  bool psys_refused_ = false;
  unsigned unknown_ = 0;           // how many readings of psys in a row told nothing
  std::uint64_t in_platform_ = 0;  // recent microjoules, from times when both were read
  std::uint64_t in_packages_ = 0;
  std::optional<std::uint64_t> devices_room_;
  std::set<std::pair<std::string_view, std::string>> members_;  // of the basis: source and part
  std::size_t missing_ = 0;
};

}  // namespace flowtap::telemetry
