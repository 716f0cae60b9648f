// klog's JSON whose members a log collector has taken into an object of its own, in an order of its own.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "object_records.hpp"
#include "tools/flowtap/saved/unwrap/enclosed_record.hpp"

namespace flowtap::cli {

/// Where JSON begins in a line that may have such records, if no prose stands before it.
[[nodiscard]] std::optional<Enclosed> find_merged(std::string_view line);

/// The records in a text that is JSON, each as klog writes it: in JSON with `ts` first, or as text if its header was taken apart or
/// it is an event. None: it has none, or is no JSON.
[[nodiscard]] std::vector<ObjectRecord> merged_records(std::string_view text);

}  // namespace flowtap::cli
