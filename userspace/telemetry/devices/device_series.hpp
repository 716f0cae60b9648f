// What a device tells, as series of stats/device.def.
#pragma once

#include "telemetry/collecting/collector.hpp"
#include "telemetry/devices/device_ledger.hpp"

namespace flowtap::telemetry {

void append_series(const DeviceIdentity& identity, const DeviceValues& values, const DeviceUses& uses,
                   DeviceLedger& ledger, Collected& out);

}  // namespace flowtap::telemetry
