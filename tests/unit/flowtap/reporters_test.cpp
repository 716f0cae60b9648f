// Who else than a scheduler speaks of a pod in an event: Karpenter and autoscalers, which place no pods.
#include <gtest/gtest.h>

#include <string>

#include "tools/flowtap/saved/kube_events.hpp"

namespace flowtap::cli {
namespace {

const std::string kNoFit = "0/3 nodes are available: 3 Insufficient memory.";

// Who stands beside the scheduler with this event; "none": it says nothing of where the pod may run.
std::string beside(const std::string& from, const std::string& message,
                   const std::string& reason = "FailedScheduling") {
  KubeEvent event;
  event.ns = "shop";
  event.pod = "web-0";
  event.reason = reason;
  event.from = from;
  event.message = message;
  KubeEvents events;
  const auto judged = events.judge(event);
  return judged ? std::string(judged->beside) : "none";
}

TEST(Reporters, AreKnownByTheirNameOrElseByTheirWords) {
  EXPECT_EQ(beside("default-scheduler", kNoFit), "");
  EXPECT_EQ(beside("my-scheduler", "x"), "");
  EXPECT_EQ(beside("", kNoFit), "");
  EXPECT_EQ(beside("karpenter", "x"), "Karpenter");
  EXPECT_EQ(beside("", "Failed to schedule pod, incompatible with nodepool \"a\""), "Karpenter");
  EXPECT_EQ(beside("default-scheduler", "Failed to schedule pod, x"), "") << "the source counts";
  EXPECT_EQ(beside("cluster-autoscaler", "x"), "the Cluster Autoscaler");
}

TEST(Reporters, HaveReasonsOfTheirOwn) {
  EXPECT_EQ(beside("", "pod didn't trigger scale-up: 1 x", "NotTriggerScaleUp"), "the Cluster Autoscaler");
  EXPECT_EQ(beside("", "pod triggered scale-up: [{a 1->2 (max: 4)}]", "TriggeredScaleUp"),
            "the Cluster Autoscaler");
  EXPECT_EQ(beside("", "Pod should schedule on: nodeclaim/a", "Nominated"), "Karpenter");
  EXPECT_EQ(beside("", "by the committee", "Nominated"), "none") << "somebody else has such a reason, too";
}

}  // namespace
}  // namespace flowtap::cli
