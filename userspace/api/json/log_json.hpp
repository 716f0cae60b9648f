// A line of a log as JSON.
#pragma once

#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// {"time":"...","text":"..."} of a line with its time in front of it.
[[nodiscard]] std::string log_line_to_json(std::string_view line);

/// An object as the log routes' format=json gives it, with "namespace", "pod" and "container" behind its time, as far as they are
/// known.
[[nodiscard]] std::string log_json_of(std::string_view object, const FlowStatus& flow);

}  // namespace flowtap::api
