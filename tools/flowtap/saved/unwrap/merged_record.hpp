// klog's JSON whose members a log collector has taken into an object of its own, in an order of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// The records in a line that is JSON, each as klog writes it: with `ts` first. None: it has none, or is no JSON.
[[nodiscard]] std::vector<std::string> merged_records(std::string_view line);

}  // namespace flowtap::cli
