// The body of /api/v1/flows, written and read: both sides of the wire in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/flow_views.hpp"
#include "base/result.hpp"

namespace flowtap::api {

/// {"flows":[...]}; what is absent in a flow has no member.
[[nodiscard]] std::string flows_to_json(const std::vector<FlowStatus>& flows);

/// What is missing in `json` keeps its default.
[[nodiscard]] Result<std::vector<FlowStatus>> flows_from_json(std::string_view json);

}  // namespace flowtap::api
