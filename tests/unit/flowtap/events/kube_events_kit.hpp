// What the tests of kubectl's tables and descriptions share: reading them, and messages of kube-scheduler.
#pragma once

#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/flowtap/saved/kube_events.hpp"

namespace flowtap::cli {

using Events = std::vector<KubeEvent>;

inline Events events_of(KubeEvents& events, const std::string& text) {
  Events out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (auto event = events.read(line)) {
      event->age = std::chrono::seconds::max();  // tests of their own look at these
      event->from.clear();
      event->count = 1;
      out.push_back(std::move(*event));
    }
  for (KubeEvent& event : out) events.settle(event);
  return out;
}

inline Events events_of(const std::string& text) {
  KubeEvents events;
  return events_of(events, text);
}

// With all that a message may have: two spaces, a colon, quotes, and another count.
inline const std::string kNoFit =
    "0/12 nodes are available: 3 Insufficient memory, 9 node(s) didn't match Pod's node affinity/selector. "
    "preemption: 0/12 nodes are available: 12 \"x\"  two.";
inline const std::string kAssigned = "Successfully assigned shop/web-0 to node-1";

inline KubeEvent failed(const std::string& ns = "shop", const std::string& pod = "web-0") {
  return {.ns = ns, .pod = pod, .type = "Warning", .reason = "FailedScheduling", .message = kNoFit};
}

inline const KubeEvent kBound = {
    .ns = "shop", .pod = "web-0", .type = "Normal", .reason = "Scheduled", .message = kAssigned};

}  // namespace flowtap::cli
