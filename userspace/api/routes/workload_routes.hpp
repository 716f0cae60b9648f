// The routes of what workloads use, and of how they ended.
#pragma once

#include "api/routes/flow_routes.hpp"

namespace flowtap::api {

[[nodiscard]] Answer workloads(const Call& call);

[[nodiscard]] Answer exits(const Call& call);

}  // namespace flowtap::api
