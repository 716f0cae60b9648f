// The body of /api/v1/flows, written and read: both sides of the wire in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// {"flows":[...]}; a member that is absent in the flow is left out.
[[nodiscard]] std::string flows_to_json(const std::vector<FlowStatus>& flows);

/// The same in parts, so that a long list is never in memory as a whole.
class FlowsToJson {
 public:
  /// Text for some more flows.
  [[nodiscard]] std::string add(const std::vector<FlowStatus>& flows);
  /// The end of the list, also of an empty one. Flows that are added after it belong to the next list.
  [[nodiscard]] std::string end();

 private:
  bool begun_ = false;
};

/// A member that is missing in `json` keeps its default.
[[nodiscard]] Result<std::vector<FlowStatus>> flows_from_json(std::string_view json);

}  // namespace flowtap::api
