// A line of a log as JSON.
#pragma once

#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// {"time":"...","text":"..."} of a line with its time in front of it; between the two, where that is asked for,
/// "namespace", "pod" and "container" as far as they are known.
[[nodiscard]] std::string log_line_to_json(std::string_view line, const FlowStatus* of = nullptr);

}  // namespace flowtap::api
