// The route of what workloads use.
#pragma once

#include "api/flow_routes.hpp"

namespace flowtap::api {

[[nodiscard]] Answer workloads(const Call& call);

}  // namespace flowtap::api
