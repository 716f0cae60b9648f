// Which of the node's flows is the log of a pod.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"

namespace flowtap::api {

/// The flow that is this pod's log: that of the container that is named, or of the only one, or of the only one that
/// runs. Error codes: ENOENT this node has not seen the pod, EINVAL no such container, or several may be meant.
[[nodiscard]] Result<std::string> find_pod_flow(const std::vector<FlowStatus>& flows, const std::string& ns,
                                                const std::string& pod, const std::string* container,
                                                bool previous);

/// For each container of each pod name, the run that is shown as its log; if several pods had the name, that of the
/// newest.
[[nodiscard]] std::vector<FlowStatus> newest_runs(const std::vector<FlowStatus>& flows);

}  // namespace flowtap::api
