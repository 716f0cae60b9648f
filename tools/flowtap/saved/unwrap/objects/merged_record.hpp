// klog's JSON whose members a log collector has taken into an object of its own, in an order of its own.
#pragma once

#include <string_view>
#include <vector>

#include "object_records.hpp"

namespace flowtap::cli {

/// The records in a line that is JSON, each as klog writes it: in JSON with `ts` first, or as text if its header was taken apart or
/// it is an event. None: it has none, or is no JSON.
[[nodiscard]] std::vector<ObjectRecord> merged_records(std::string_view line);

}  // namespace flowtap::cli
