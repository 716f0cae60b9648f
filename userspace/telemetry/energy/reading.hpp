// What the machine's energy counters and power meters show at one time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// What a counter stands for, as far as the node's total needs to know.
enum class EnergyDomain : std::uint8_t {
  kPlatform,  ///< the whole machine: RAPL's psys
  kPackage,   ///< a socket: cores, caches, what else is on the die
  kMemory,    ///< beside the package, not in it: RAPL's dram
  kSocket,    ///< a socket again, as amd_energy counts it
  kMeter,     ///< the whole machine, from a meter of power
  kOther,     ///< in one of the others (core, uncore), or nobody knows what
};

/// A counter. `source` and `part` name it for people; `place`, where it is read, tells two of that name apart.
struct EnergyReading {
  std::string_view source;  ///< "powercap" or "hwmon"
  std::string part;         ///< "package-0/core"
  std::string place;        ///< "intel-rapl:0:0"
  EnergyDomain domain = EnergyDomain::kOther;
  std::uint64_t uj = 0;
  std::uint64_t range = 0;  ///< its largest value; 0: it never wraps
};

/// A meter of power, in microwatts: what is drawn now, or was on average of late.
struct PowerReading {
  std::string chip;       ///< "power_meter", "amdgpu"
  std::string device;     ///< "ACPI000D:00", "0000:03:00.0"
  std::string sensor;     ///< its own label, else "power1"
  bool platform = false;  ///< it measures the whole machine
  std::uint64_t uw = 0;
};

}  // namespace flowtap::telemetry
