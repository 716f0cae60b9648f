#include "api/flow_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/flows/container_flow.hpp"
#include "base/flows/flow_run.hpp"
#include "base/printable.hpp"
#include "component/views/called.hpp"

namespace flowtap::api {
namespace {

// A container within a container has no name by which people could ask for it.
bool is_meant_by(const FlowStatus& flow, std::string_view name) {
  return flow.id == name || (std::ranges::count(flow.id, '/') == 1 && is_flow_called(flow.id, name));
}

// The later, the newer; runs of one container come in the order of their numbers.
auto age_of(const FlowStatus& flow) {
  return std::pair(flow.open, flow.first.value_or(std::chrono::system_clock::time_point()));
}

struct RunOfPod {
  std::string_view container;  // its flows' ids up to the restart
  std::uint64_t restart = 0;
};

RunOfPod run_of_pod(const FlowStatus& flow) {
  return {std::string_view(flow.id).substr(0, flow.id.rfind('/')), flow.restart.value_or(0)};
}

bool is_of_pod(const FlowStatus& flow) {
  return flow.kind == "pod" && std::ranges::count(flow.id, '/') == 5;
}

// Whoever renames a container leaves it its id.
bool is_same_container(std::string_view first, std::string_view other) {
  const auto of = container_flow(first);
  const auto with = container_flow(other);
  return first == other || (of && with && of->id == with->id);
}

// Whether it is another run of this flow's container that came before it, and after `best`, which may be null.
bool is_nearer(const FlowStatus& flow, const FlowStatus& before, const FlowStatus* best) {
  if (is_of_pod(before)) {
    const RunOfPod of = run_of_pod(flow);
    const RunOfPod wanted = run_of_pod(before);
    return is_of_pod(flow) && flow.restart && of.container == wanted.container &&
           of.restart < wanted.restart && (best == nullptr || of.restart > run_of_pod(*best).restart);
  }
  const FlowRun of = run_of_flow(flow.id);
  const FlowRun wanted = run_of_flow(before.id);
  return is_same_container(of.first, wanted.first) && of.number < wanted.number &&
         (best == nullptr || of.number > run_of_flow(best->id).number);
}

}  // namespace

Result<std::string> find_named_flow(const std::vector<FlowStatus>& flows, std::string_view name) {
  const FlowStatus* newest = nullptr;
  for (const FlowStatus& flow : flows) {
    if (flow.id == name) return flow.id;
    if (!is_meant_by(flow, name)) continue;
    const FlowRun of = run_of_flow(flow.id);
    const bool is_same = newest != nullptr && is_same_container(run_of_flow(newest->id).first, of.first);
    if (newest == nullptr ||
        (is_same ? of.number > run_of_flow(newest->id).number : age_of(flow) > age_of(*newest)))
      newest = &flow;
  }
  if (newest != nullptr) return newest->id;
  return std::unexpected(Error{"no log of a container or unit " + in_quotes(name) + " is known on this node",
                               std::string("a pod is NAMESPACE/POD; ") + kFlowsHint, ENOENT});
}

Result<std::string> find_run_before(const std::vector<FlowStatus>& flows, std::string_view id) {
  const auto at = std::ranges::find(flows, id, &FlowStatus::id);
  if (at == flows.end())
    return std::unexpected(
        Error{"the flow " + in_quotes(id) + " is not known on this node", kFlowsHint, ENOENT});
  if (!is_of_pod(*at) && !has_runs(id))
    return std::unexpected(Error{in_quotes(id) + " has no runs: all that it writes is one log",
                                 "leave out --previous (previous=true)", EINVAL});
  const FlowStatus* best = nullptr;
  for (const FlowStatus& flow : flows)
    if (is_nearer(flow, *at, best)) best = &flow;
  if (best != nullptr) return best->id;
  return std::unexpected(
      Error{"no run before " + in_quotes(id) + " is known on this node",
            "flowtap flows lists the runs that are known; an earlier one ended before flowtapd came, or "
            "made room",
            EINVAL});
}

}  // namespace flowtap::api
