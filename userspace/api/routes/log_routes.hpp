// Logs as Kubernetes serves them: its parameters, rules and error texts (k8s.io/api core/v1 PodLogOptions,
// pkg/apis/core/validation, pkg/registry/core/pod).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/routes/flow_routes.hpp"
#include "api/routes/query_parameter.hpp"

namespace flowtap::api {

/// The parameters of a flow's log, and of a pod's.
[[nodiscard]] std::vector<QueryParameter> flow_log_parameters();
[[nodiscard]] std::vector<QueryParameter> pod_log_parameters();

/// The text of an Error is Kubernetes' own.
[[nodiscard]] Result<LogReadOptions> parse_log_options(const Parameters& parameters,
                                                       std::chrono::system_clock::time_point now);

/// The lines of the flow with this id.
[[nodiscard]] Answer flow_log(const Call& call);

/// The lines of a container of this pod. Nothing of ours is among them unless `gaps` or `format` asks for it.
[[nodiscard]] Answer pod_log(const Call& call);

}  // namespace flowtap::api
