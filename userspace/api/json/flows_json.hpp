// The body of /api/v1/flows, written and read: both sides of the wire in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/views/flow_views.hpp"
#include "base/result.hpp"

namespace flowtap::api {

/// {"flows":[...]}; what is absent in a flow has no member.
[[nodiscard]] std::string flows_to_json(const std::vector<FlowStatus>& flows);

/// The same in parts, so that nobody holds a long list.
class FlowsToJson {
 public:
  /// Some, and those before them.
  [[nodiscard]] std::string add(const std::vector<FlowStatus>& flows);
  /// The end of the list, with flows or without; what is added from here on is another.
  [[nodiscard]] std::string end();

 private:
  bool begun_ = false;
};

/// What is missing in `json` keeps its default.
[[nodiscard]] Result<std::vector<FlowStatus>> flows_from_json(std::string_view json);

}  // namespace flowtap::api
