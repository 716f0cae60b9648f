// A log's line as JSON, for those who want it so.
#pragma once

#include <string>
#include <string_view>

#include "api/views/flow_views.hpp"

namespace flowtap::api {

/// {"time":"...","text":"..."} of a line with its time in front of it; in between whose it is, if that is told: "namespace",
/// "pod", "container" as far as they are known.
[[nodiscard]] std::string log_line_to_json(std::string_view line, const FlowStatus* of = nullptr);

}  // namespace flowtap::api
