// What the API server says of a pod, and what flowtap's answer has to say then.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/kube/cluster.hpp"

namespace flowtap::test {

/// A pod of the namespace "default", from its object and its events.
struct PodTruth {
  bool exists = false;
  std::string uid;
  std::string node;       ///< where it is bound
  std::string nominated;  ///< where room is being made for it
  std::string reason;     ///< of its condition PodScheduled
  std::string message;
  std::vector<std::string> gates;
  std::string last_failure;  ///< the message of its last event FailedScheduling
  std::string preempted_by;  ///< the uid in its event Preempted
  std::string preempted_on;
};
[[nodiscard]] PodTruth truth_of(const Cluster& cluster, const std::string& pod);

/// What both sides say, in the same words.
[[nodiscard]] boost::json::object wanted(const PodTruth& truth);
/// The same out of a diagnosis with its evidence. Only what `truth` has a word for is looked at.
[[nodiscard]] boost::json::object told(const PodTruth& truth, const boost::json::value& diagnosis);

}  // namespace flowtap::test
