// AMD's GPUs: what amdgpu shows in sysfs (Documentation/gpu/amdgpu).
#pragma once

#include "telemetry/devices/card_vendor.hpp"

namespace flowtap::telemetry {

/// Its pcie_bw is left alone: the driver takes a second to answer. It has no energy counter: its power gives the
/// joules.
[[nodiscard]] CardKind amd_cards();

}  // namespace flowtap::telemetry
