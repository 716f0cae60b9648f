#include "api/pod_flows.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/flows/sandbox_container.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

/// All containers of the pod of this name; if several pods had the name, of the newest one.
std::vector<const FlowStatus*> newest_pod(const std::vector<FlowStatus>& flows, const std::string& ns,
                                          const std::string& pod) {
  std::map<std::string, std::vector<const FlowStatus*>> by_uid;
  for (const FlowStatus& flow : flows)
    if (flow.kind == "pod" && flow.ns == ns && flow.pod == pod && flow.container &&
        flow.container != kSandboxContainer)
      by_uid[flow.uid.value_or("")].push_back(&flow);
  const auto age = [](const std::vector<const FlowStatus*>& containers) {
    // A pod that runs is the newest, whether or not it has written anything yet.
    std::pair<bool, std::chrono::system_clock::time_point> newest{};
    for (const FlowStatus* flow : containers) {
      newest.first = newest.first || flow->open;
      newest.second = std::max(newest.second, flow->first.value_or(std::chrono::system_clock::time_point()));
    }
    return newest;
  };
  const std::vector<const FlowStatus*>* found = nullptr;
  for (const auto& [uid, containers] : by_uid)
    if (found == nullptr || age(containers) > age(*found)) found = &containers;
  return found != nullptr ? *found : std::vector<const FlowStatus*>();
}

/// The runs of a pod's containers, by how often each had been restarted before.
using Runs = std::map<std::string, std::map<std::uint64_t, const FlowStatus*>>;

/// The container that is meant if none is named; end: several may be meant. Kubernetes takes the only one that is not
/// an init container. Nothing on the node says which ones are init containers, but they have ended when the others run.
Runs::const_iterator default_container(const Runs& runs) {
  if (runs.size() == 1) return runs.begin();
  const auto goes_on = [](const Runs::value_type& container) {
    return container.second.rbegin()->second->open;
  };
  const auto found = std::ranges::find_if(runs, goes_on);
  return std::ranges::count_if(runs, goes_on) == 1 ? found : runs.end();
}

}  // namespace

Result<std::string> find_pod_flow(const std::vector<FlowStatus>& flows, const std::string& ns,
                                  const std::string& pod, const std::string* container, bool previous) {
  const auto pods = newest_pod(flows, ns, pod);
  if (pods.empty())
    return std::unexpected(Error{"no log of the pod " + in_quotes(ns + "/" + pod) + " is known on this node",
                                 std::string("a pod's log is on the node where it runs; ") + kFlowsHint,
                                 ENOENT});
  Runs runs;
  for (const FlowStatus* flow : pods) runs[*flow->container][flow->restart ? *flow->restart + 1 : 0] = flow;
  const auto refuse = [](std::string what) { return std::unexpected(Error{std::move(what), {}, EINVAL}); };
  const auto found = container != nullptr ? runs.find(*container) : default_container(runs);
  if (found == runs.end() && container != nullptr)
    return refuse("container " + *container + " is not valid for pod " + pod);
  if (found == runs.end()) {
    std::string names;
    for (const auto& [name, restarts] : runs) names += (names.empty() ? "" : " ") + name;
    return refuse("a container name must be specified for pod " + pod + ", choose one of: [" + names + "]");
  }
  auto run = found->second.rbegin();
  if (previous && ++run == found->second.rend())
    return refuse("previous terminated container " + in_quotes(found->first) + " in pod " + in_quotes(pod) +
                  " not found");
  return run->second->id;
}

std::vector<FlowStatus> newest_runs(const std::vector<FlowStatus>& flows) {
  std::set<std::pair<std::string, std::string>> pods;
  for (const FlowStatus& flow : flows)
    if (flow.ns && flow.pod) pods.emplace(*flow.ns, *flow.pod);
  std::vector<FlowStatus> runs;
  for (const auto& [ns, pod] : pods) {
    std::map<std::string, const FlowStatus*> newest;  // by container
    for (const FlowStatus* flow : newest_pod(flows, ns, pod)) {
      const FlowStatus*& run = newest[*flow->container];
      if (run == nullptr || flow->restart > run->restart) run = flow;
    }
    for (const auto& [container, run] : newest) runs.push_back(*run);
  }
  return runs;
}

}  // namespace flowtap::api
