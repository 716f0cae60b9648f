#include "tests/kube/pod_truth.hpp"

#include <algorithm>

namespace flowtap::test {
namespace {

namespace json = boost::json;

// "" if there is no such string.
std::string text(const json::value& of, const char* pointer) {
  boost::system::error_code error;
  const json::value* found = of.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const json::array& list(const json::value& of, const char* pointer) {
  static const json::array kNone;
  boost::system::error_code error;
  const json::value* found = of.find_pointer(pointer, error);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

void read_events(const json::value& events, PodTruth& truth) {
  std::string newest;
  for (const json::value& event : list(events, "/items")) {
    if (!truth.uid.empty() && text(event, "/involvedObject/uid") != truth.uid) continue;
    const std::string reason = text(event, "/reason");
    const std::string message = text(event, "/message");
    // A series has a later time of its own.
    const std::string time = std::max(text(event, "/eventTime"), text(event, "/series/lastObservedTime"));
    if (reason == "FailedScheduling" && time >= newest) {
      newest = time;
      truth.last_failure = message;
    }
    if (reason == "Preempted") {  // "Preempted by pod UID on node NODE"
      truth.preempted_on = message.substr(message.rfind(' ') + 1);
      const std::string begin = "Preempted by pod ";
      truth.preempted_by = message.substr(begin.size(), message.find(' ', begin.size()) - begin.size());
    }
  }
}

}  // namespace

PodTruth truth_of(const Cluster& cluster, const std::string& pod) {
  PodTruth truth;
  const auto object = cluster.get("/api/v1/namespaces/default/pods/" + pod);
  truth.exists = object.status == 200;
  if (truth.exists) {
    truth.uid = text(object.body, "/metadata/uid");
    truth.node = text(object.body, "/spec/nodeName");
    truth.nominated = text(object.body, "/status/nominatedNodeName");
    for (const json::value& gate : list(object.body, "/spec/schedulingGates"))
      truth.gates.push_back(text(gate, "/name"));
    for (const json::value& condition : list(object.body, "/status/conditions"))
      if (text(condition, "/type") == "PodScheduled") {
        truth.reason = text(condition, "/reason");
        truth.message = text(condition, "/message");
      }
  }
  read_events(cluster.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=" + pod).body,
              truth);
  return truth;
}

json::object wanted(const PodTruth& truth) {
  if (!truth.preempted_by.empty()) return {{"preempted", true}, {"on", truth.preempted_on}};
  if (!truth.exists) return {{"deleted", true}};
  if (!truth.gates.empty()) return {{"status", "pending"}, {"held", "SchedulingGates"}, {"says", true}};
  if (!truth.node.empty()) return {{"status", "succeeded"}, {"node", truth.node}};
  if (truth.reason.empty()) return {{"status", "pending"}};
  return {{"status", "failed"},
          {"summary", truth.message},
          {"event", truth.last_failure},
          {"nominated", truth.nominated}};
}

json::object told(const PodTruth& truth, const json::value& diagnosis) {
  const std::string status = text(diagnosis, "/status");
  const bool deleted = diagnosis.is_object() && diagnosis.get_object().contains("lifecycle") &&
                       diagnosis.at("lifecycle").get_object().contains("deleted");
  if (!truth.preempted_by.empty())
    return {{"preempted", !text(diagnosis, "/lifecycle/preempted/by").empty()},
            {"on", text(diagnosis, "/lifecycle/preempted/node")}};
  if (!truth.exists) return {{"deleted", deleted}};
  json::object out{{"status", deleted ? "deleted" : status}};
  if (!truth.gates.empty()) {
    const json::array& held = list(diagnosis, "/lifecycle/held");
    const std::string reason = held.empty() ? std::string() : text(held.front(), "/reason");
    out["held"] = held.empty() ? std::string() : text(held.front(), "/plugin");
    out["says"] = std::ranges::all_of(truth.gates,
                                      [&reason](const std::string& gate) { return reason.contains(gate); });
  } else if (!truth.node.empty()) {
    const std::string node = text(diagnosis, "/bind/node");
    // If another scheduler has bound it, this one's log does not say where.
    out["node"] = node.empty() && status == "succeeded" ? truth.node : node;
  } else if (!truth.reason.empty()) {
    out["summary"] = out["event"] = text(diagnosis, "/filter/summary");
    out["nominated"] = text(diagnosis, "/filter/nominated");
  }
  return out;
}

}  // namespace flowtap::test
