#include "api/routes/route_table.hpp"

#include "api/json/exits_json.hpp"
#include "api/json/stats_json.hpp"
#include "api/json/status_json.hpp"
#include "api/json/workloads_json.hpp"
#include "api/routes/diagnosis_routes.hpp"
#include "api/routes/log_routes.hpp"
#include "api/routes/openapi.hpp"

namespace flowtap::api {
namespace {

Answer health(const Call&) {
  return {200, R"({"status":"ok"})"};
}

Answer ready(const Call& call) {
  if (const Status status = call.node.ready(); !status)
    return error_answer(503, "not ready: " + status.error().what, status.error().hint);
  return {200, R"({"status":"ready"})"};
}

Answer status(const Call& call) {
  return {200, status_to_json(call.node.status())};
}

Answer no_totals() {
  return error_answer(503, "no totals yet: the first cycle has not ended", "try again in a moment");
}

Answer stats(const Call& call) {
  const auto snapshot = call.node.snapshot();
  if (!snapshot) return no_totals();
  return {200, stats_to_json(*snapshot)};
}

Answer workloads(const Call& call) {
  const auto snapshot = call.node.snapshot();
  if (!snapshot) return no_totals();
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

Answer exits_of(const Call& call) {
  return {200, exits_to_json(call.node.exits_of(call.parameter("name").value_or("")))};
}

using enum ParameterType;

QueryParameter in_namespace(std::string_view what) {
  return {"namespace", what};
}
const QueryParameter& outputs() {
  static const QueryParameter kOutputs{"stream", "Only this output.", kWord, {"stdout", "stderr"}};
  return kOutputs;
}
const QueryParameter& follow() {
  static const QueryParameter kFollow{
      "follow", "Also send what comes from now on.", kWord, {"true", "false"}};
  return kFollow;
}

constexpr std::string_view kBytes = "application/octet-stream";
constexpr std::string_view kLines = "text/plain";

}  // namespace

const std::vector<Route>& routes() {
  static const std::string kFlow = std::string(kFlowsPath) + "/{id}";
  static const std::string kPod = std::string(kNamespacesPath) + "/{namespace}/pods/{name}";
  static const std::string kProcess = std::string(kProcessesPath) + "/{pid}";
  static const std::vector<Route> kRoutes = {
      {std::string(kHealthPath), health, "Whether flowtapd runs."},
      {std::string(kReadyPath), ready, "Whether everything that is configured runs.", {503}},
      {std::string(kStatusPath), status, "The components, losses by cause, sizes and versions."},
      {std::string(kStatsPath), stats, "All counters with their meaning and values.", {503}},
      {std::string(kWorkloadsPath),
       workloads,
       "What containers, units and the host use now, one object for each with everything that is measured.",
       {503},
       {{"kind", "Workloads of this kind: pod, container, unit, host, unknown."},
        in_namespace("Containers of pods of this namespace."),
        {"pod", "Containers of pods of this name."}}},
      {std::string(kFlowsPath),
       list_flows,
       "The flows that are known; with follow, also a line for each one that comes or changes.",
       {503},
       {in_namespace("Flows of this namespace."),
        {"pod", "Flows of pods of this name."},
        {"group", "Flows of this group."},
        {"kind", "Flows of this kind, such as pod or sched."},
        {"history",
         "Also list containers of pods whose log only the runtime has kept.",
         kWord,
         {"true", "false"}},
        follow()},
       {kJson, kJsonLines}},
      {kFlow + "/raw",
       read_flow,
       "The bytes of a flow as they were written.",
       {404, 409, 503},
       {follow(),
        outputs(),
        {"from", "Whether the bytes that are kept are sent first.", kWord, {"start", "now"}}},
       {kBytes}},
      {kFlow + "/log",
       flow_log,
       "The lines of a flow.",
       {404, 409, 503},
       flow_log_parameters(),
       {kLines, kJsonLines}},
      {kPod + "/log",
       pod_log,
       "The log of a pod's container, as Kubernetes' API has it.",
       {404, 409, 503},
       pod_log_parameters(),
       {kLines, kJsonLines}},
      {kPod + "/schedulerlog",
       schedulerlog,
       "What the schedulers of this node decided about a pod, and why.",
       {404, 503},
       {{"evidence",
         "Add the lines of the schedulers' logs that say so, and the cards and NUMA cells that would not "
         "do.",
         kFlag}}},
      {kPod + "/exits", exits, "How each of the pod's containers ended the last time."},
      {std::string(kExitsPath),
       exits_of,
       "How systemd services and containers outside of pods ended the last time.",
       {},
       {{"name",
         "Only what has this name: a container's name, its id or the id's beginning, a service's name, a "
         "flow's id."}}},
      {std::string(kSchedulerLogsPath),
       schedulerlogs,
       "The pods that schedulers of this node decided about, and their state.",
       {503},
       {in_namespace("Pods of this namespace."), {"diagnosis", "Add the whole answer for each.", kFlag}}},
      {kProcess + "/raw",
       tap_process,
       "The bytes that a process writes from now on.",
       {404, 409, 503},
       {outputs()},
       {kBytes}},
      {kProcess + "/log",
       tap_process_lines,
       "The lines that a process writes from now on.",
       {404, 409, 503},
       {outputs(), {"timestamps", "Put its time in front of each line.", kFlag}},
       {kBytes}},
      {std::string(kOpenApiPath), openapi, "This description."}};
  return kRoutes;
}

std::string_view segment_meaning(std::string_view name) {
  if (name == "id") return "The flow's id as one segment: each / in it is written as %2F.";
  if (name == "namespace") return "The pod's namespace.";
  if (name == "name") return "The pod's name; if several pods had it, the newest of them is meant.";
  if (name == "pid") return "The process's number in the host's pid namespace.";
  return {};
}

std::vector<std::string_view> names_of(const std::vector<QueryParameter>& parameters) {
  std::vector<std::string_view> names;
  names.reserve(parameters.size());
  for (const QueryParameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string_view> flags_of(const std::vector<QueryParameter>& parameters) {
  std::vector<std::string_view> flags;
  for (const QueryParameter& parameter : parameters)
    if (parameter.type == kFlag) flags.push_back(parameter.name);
  return flags;
}

}  // namespace flowtap::api
