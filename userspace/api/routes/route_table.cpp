#include "api/routes/route_table.hpp"

#include "api/json/stats_json.hpp"
#include "api/json/status_json.hpp"
#include "api/routes/diagnosis_routes.hpp"
#include "api/routes/log_routes.hpp"
#include "api/routes/openapi.hpp"
#include "api/routes/workload_routes.hpp"

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

Answer stats(const Call& call) {
  const auto snapshot = call.node.snapshot();
  if (!snapshot)
    return error_answer(503, "no totals yet: the first cycle has not ended", "try again in a moment");
  return {200, stats_to_json(*snapshot)};
}

using enum ParameterType;

QueryParameter in_namespace(std::string_view what) {
  return {"namespace", what};
}
const QueryParameter& outputs() {
  static const QueryParameter kOutputs{"stream", "One output alone.", kWord, {"stdout", "stderr"}};
  return kOutputs;
}
const QueryParameter& follow() {
  static const QueryParameter kFollow{"follow", "Also what comes from now on.", kWord, {"true", "false"}};
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
      {std::string(kReadyPath), ready, "Whether all that is configured runs.", {503}},
      {std::string(kStatusPath), status, "The components, what was lost by its cause, sizes and versions."},
      {std::string(kStatsPath), stats, "All counters with their meaning and values.", {503}},
      {std::string(kWorkloadsPath),
       workloads,
       "What containers, units and the host use now, one object for each with all that is measured of it.",
       {503},
       {{"kind", "Workloads of this kind: pod, container, unit, host, unknown."},
        in_namespace("Containers of pods of this namespace."),
        {"pod", "Containers of pods of this name."}}},
      {std::string(kFlowsPath),
       list_flows,
       "The flows that are known; with follow a line for each that comes or changes.",
       {503},
       {in_namespace("Flows of this namespace."),
        {"pod", "Flows of pods of this name."},
        {"group", "Flows of this group."},
        {"kind", "Flows of this kind, such as pod or sched."},
        {"history",
         "Also containers of pods of which only the runtime has kept a log.",
         kWord,
         {"true", "false"}},
        follow()},
       {kJson, kJsonLines}},
      {kFlow + "/raw",
       read_flow,
       "The bytes of a flow as they were written.",
       {404, 409, 503},
       {follow(), outputs(), {"from", "Whether the history comes first.", kWord, {"start", "now"}}},
       {kBytes}},
      {kFlow + "/log",
       flow_log,
       "The lines of a flow.",
       {404, 409, 503},
       log_parameters(),
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
         "With the lines of the schedulers' logs that say so, and the cards and NUMA cells that would not "
         "do.",
         kFlag}}},
      {kPod + "/exits", exits, "How the pod's containers ended, each the last time."},
      {std::string(kSchedulerLogsPath),
       schedulerlogs,
       "The pods that schedulers of this node decided about, and their state.",
       {503},
       {in_namespace("Pods of this namespace."), {"diagnosis", "With the whole answer for each.", kFlag}}},
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
       {outputs(), {"timestamps", "With its time in front of each line.", kFlag}},
       {kBytes}},
      {std::string(kOpenApiPath), openapi, "This description."}};
  return kRoutes;
}

std::string_view segment_meaning(std::string_view name) {
  if (name == "id") return "The flow's id as one segment: each / inside of it is %2F.";
  if (name == "namespace") return "The pod's namespace.";
  if (name == "name") return "The pod's name; of a name that was used again, the newest.";
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
