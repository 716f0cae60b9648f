#include "api/routes/workload_routes.hpp"

#include "api/json/exits_json.hpp"
#include "api/json/workloads_json.hpp"

namespace flowtap::api {

Answer workloads(const Call& call) {
  const auto snapshot = call.node.snapshot();
  if (!snapshot)
    return error_answer(503, "no totals yet: the first cycle has not ended", "try again in a moment");
  if (!snapshot->measured)
    return error_answer(503, "workloads are not measured: the telemetry is off",
                        "set telemetry: enabled: true in flowtapd's configuration");
  return {200, workloads_to_json(*snapshot, {.kind = call.parameter("kind"),
                                             .ns = call.parameter("namespace"),
                                             .pod = call.parameter("pod")})};
}

Answer exits(const Call& call) {
  return {200, exits_to_json(call.node.exits(call.segments.front(), call.segments.back()))};
}

}  // namespace flowtap::api
