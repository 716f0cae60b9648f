// The energy counters of the power capping framework, above all RAPL's.
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// All zones below <sysfs>/class/powercap that have an energy counter (Documentation/power/powercap/powercap.rst), at
/// most 256. A zone's `part` is made of the names from its topmost zone down to itself: "package-0/dram". psys is the
/// platform wherever it stands: older kernels had it below the package. Zones with the same `part` are one counter seen
/// twice, and the MSR's comes first: intel-rapl-mmio:0 is the package-0 of intel-rapl:0 again. What exists and cannot
/// be read or understood is absent and added to `unread`; a zone with a name also counts as lacking.
[[nodiscard]] EnergyReadings read_powercap(const std::string& sysfs, std::uint64_t& unread);

}  // namespace flowtap::telemetry
