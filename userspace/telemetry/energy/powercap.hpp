// The energy counters of the power capping framework, RAPL's above all.
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// All zones below <sysfs>/class/powercap that have an energy counter (Documentation/power/powercap/powercap.rst), 256 at
/// most. A zone's `part` is the names from its topmost zone down to itself: "package-0/dram". psys is the platform wherever
/// it hangs: older kernels had it below the package. Zones of one `part` are one counter seen twice, the MSR's before
/// others: intel-rapl-mmio:0 is the package-0 of intel-rapl:0 again.
/// What is there and cannot be read or understood is absent and added to `unread`; of a zone with a name, it is lacking.
[[nodiscard]] EnergyReadings read_powercap(const std::string& sysfs, std::uint64_t& unread);

}  // namespace flowtap::telemetry
