// The energy counters and power meters among the machine's sensors.
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// All energyN_input, and powerN_average or otherwise powerN_input, below <sysfs>/class/hwmon
/// (Documentation/ABI/testing/sysfs-class-hwmon: microjoules and microwatts), from at most 128 chips. Two things are
/// left out: the cores of amd_energy, which are part of its sockets and would make hundreds of series; and a device
/// that sleeps, because a reading would wake it. What exists and cannot be read or understood is absent and added to
/// `unread`. So is a power of a megawatt or more, which comes from a meter without a reading whose firmware answers
/// with all bits set. If it was a socket or the machine's meter, it counts as lacking.
[[nodiscard]] EnergyReadings read_hwmon(const std::string& sysfs, std::uint64_t& unread);

}  // namespace flowtap::telemetry
