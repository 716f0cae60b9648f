// What the tests of kube-scheduler's log share: lines of one pod, and parts of its answer.
#pragma once

#include <string>
#include <string_view>

#include "kit.hpp"

namespace flowtap::diagnosis::test::kube_scheduler {

inline constexpr std::string_view kBegin = R"("Attempting to schedule pod" pod="ns/p")";
inline constexpr std::string_view kBound =
    R"("Successfully bound pod to node" pod="ns/p" node="n1" evaluatedNodes=6 feasibleNodes=2)";
inline constexpr std::string_view kBoundOnly = R"({"status":"passed","summary":"bind success"})";
inline constexpr std::string_view kNode1 = R"({"name":"n1","status":"passed","score":0,"containers":[]})";

inline std::string no_fit(std::string_view err) {
  return R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=")" + std::string(err) + '"';
}

}  // namespace flowtap::diagnosis::test::kube_scheduler
