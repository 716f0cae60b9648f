// Intel's GPUs: what i915 and xe show in sysfs.
#pragma once

#include "telemetry/devices/card_vendor.hpp"

namespace flowtap::telemetry {

/// Neither driver shows how much the GPU works, nor its memory: both are only known for processes (drm_fdinfo.hpp).
[[nodiscard]] CardKind intel_cards();

}  // namespace flowtap::telemetry
