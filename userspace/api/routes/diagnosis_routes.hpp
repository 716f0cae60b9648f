// Routes of the explain path.
#pragma once

#include "api/routes/flow_routes.hpp"

namespace flowtap::api {

/// A pod's diagnosis.
[[nodiscard]] Answer schedulerlog(const Call& call);
/// All pods that schedulers have mentioned, with their states.
[[nodiscard]] Answer schedulerlogs(const Call& call);

}  // namespace flowtap::api
