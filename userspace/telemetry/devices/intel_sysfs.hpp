// Intel's GPUs: what i915 and xe show in sysfs.
#pragma once

#include "telemetry/devices/card_vendor.hpp"

namespace flowtap::telemetry {

/// Neither shows how much the GPU works, nor its memory: that is known of processes alone (drm_fdinfo.hpp).
[[nodiscard]] CardKind intel_cards();

}  // namespace flowtap::telemetry
