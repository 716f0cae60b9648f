// Which of the node's flows is the log of a container that is in no pod, or of one run of a container.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// The newest run of the container that is called so (is_flow_called()), or the unit. A flow's own id means that flow. If several
/// containers had the name, the newest is meant. Error code ENOENT: none was seen.
[[nodiscard]] Result<std::string> find_named_flow(const std::vector<FlowStatus>& flows,
                                                  std::string_view name);

/// The run of the same container before the one with this flow. Error codes: ENOENT there is no such flow, EINVAL no earlier run is
/// known, or it has no runs.
[[nodiscard]] Result<std::string> find_run_before(const std::vector<FlowStatus>& flows, std::string_view id);

}  // namespace flowtap::api
