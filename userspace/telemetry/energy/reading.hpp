// What the machine's energy counters and power meters show at one time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

using EnergyClock = std::chrono::steady_clock;

/// What a counter stands for, as far as the node's total needs to know.
enum class EnergyDomain : std::uint8_t {
  kPlatform,  ///< the whole machine: RAPL's psys
  kPackage,   ///< a socket: cores, caches, what else is on the die
  kMemory,    ///< beside the package, not in it: RAPL's dram
  kSocket,    ///< a socket again, as amd_energy counts it
  kMeter,     ///< the whole machine, from a meter of power
  kOther,     ///< part of one of the others (core, uncore), or unknown
};

/// A counter. `source` and `part` name it for people; `place`, where it is read, tells two with the same name apart.
struct EnergyReading {
  std::string_view source;  ///< "powercap" or "hwmon"
  std::string part;         ///< "package-0/core"
  std::string place;        ///< "intel-rapl:0:0"
  EnergyDomain domain = EnergyDomain::kOther;
  std::uint64_t uj = 0;
  std::uint64_t range = 0;  ///< its largest value; 0: it never wraps
};

/// A power meter, in microwatts: what is drawn now, or was drawn recently on average.
struct PowerReading {
  std::string chip;       ///< "power_meter", "amdgpu"
  std::string device;     ///< "ACPI000D:00", "0000:03:00.0"
  std::string sensor;     ///< its own label, otherwise "power1"
  bool platform = false;  ///< it measures the whole machine
  std::uint64_t uw = 0;
};

/// The source that a meter has as a part of the energy, and its name there.
inline constexpr std::string_view kMeterSource = "meter";
[[nodiscard]] inline std::string meter_part(const PowerReading& meter) {
  return meter.chip + "/" + meter.device + "/" + meter.sensor;
}

/// A counter or meter that exists and could not be read, for example because a right is missing.
struct LackingPart {
  std::string_view source;
  std::string part;
  EnergyDomain domain = EnergyDomain::kOther;
};

/// All that one source shows; among counters with the same `source` and `part` the preferred one comes first.
struct EnergyReadings {
  EnergyClock::time_point at;  ///< when the reading began
  std::vector<EnergyReading> counters;
  std::vector<PowerReading> powers;
  std::vector<LackingPart> lacking;
};

}  // namespace flowtap::telemetry
