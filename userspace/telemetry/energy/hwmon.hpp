// The energy counters and power meters among the machine's sensors.
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// All energyN_input and powerN_average or else powerN_input below <sysfs>/class/hwmon
/// (Documentation/ABI/testing/sysfs-class-hwmon: microjoules and microwatts), of 128 chips at most. Left out: the cores of
/// amd_energy, which are in its sockets and hundreds of series; and a device that sleeps, which a reading would wake.
/// What is there and cannot be read or understood is absent and added to `unread`; so is a power of a megawatt or more, as
/// of a meter without a reading whose firmware answers with all bits set. A socket or a machine's meter is lacking then.
[[nodiscard]] EnergyReadings read_hwmon(const std::string& sysfs, std::uint64_t& unread);

}  // namespace flowtap::telemetry
