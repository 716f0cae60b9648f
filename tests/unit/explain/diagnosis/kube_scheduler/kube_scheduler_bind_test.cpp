// Pods that have their node but are not bound to it, as kube-scheduler tells it.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/explain/diagnosis/kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;
using namespace test::kube_scheduler;

TEST(KubeSchedulerBind, ABindThatFails) {
  constexpr std::string_view kRejected =
      R"("Error scheduling pod; retrying" err="binding rejected: node is locked" logger="UnhandledError" pod="ns/p")";
  EXPECT_EQ(answer_of({kRejected}),
            body("failed", "passed", "", "", R"({"status":"failed","summary":"node is locked"})"));
  EXPECT_EQ(answer_of({kBegin, R"("Attempting to bind pod to node" pod="ns/p" node="n1")",
                       R"("Pod rejected by Bind plugin" pod="ns/p" node="n1" plugin="B" status="x")",
                       R"("Failed to bind pod" pod="ns/p")",
                       R"("Error scheduling pod; retrying" err="node is locked" pod="ns/p")"}),
            body("failed", "passed", "", kNode1, R"({"status":"failed","summary":"node is locked"})"));
  EXPECT_EQ(
      answer_of({kBegin,
                 R"("Error scheduling pod; retrying" err="running PreFilter plugin \"X\": no" pod="ns/p")"}),
      body("failed", "failed", R"(running PreFilter plugin \"X\": no)", ""));
}

TEST(KubeSchedulerBind, APodWaitsForItsDevicesWithItsNode) {
  DiagnosisStore store;
  test::read(
      store,
      test::log_of(
          {R"("Event occurred" object="ns/p" kind="Pod" reason="BindingConditionsPending" message="waiting for binding conditions for device on node n1")"}));
  const auto found = store.find("ns", "p").value_or(Diagnosis{});
  EXPECT_EQ(found.filter.verdict, Verdict::kPassed);
  EXPECT_EQ(found.bind.verdict, Verdict::kNone);
  EXPECT_EQ(found.node, "n1");
}

// From about 1.26 on, the error of a bind has no beginning of its own: only the lines before it tell.
TEST(KubeSchedulerBind, ABindThatFailsIsTheBindsWhateverItsErrorIs) {
  const auto error = [](std::string_view err) {
    return R"("Error scheduling pod; retrying" err=")" + std::string(err) +
           R"(" logger="UnhandledError" pod="ns/p")";
  };
  const auto failed = [](std::string_view summary) {
    return body("failed", "passed", "", "",
                R"({"status":"failed","summary":")" + std::string(summary) + "\"}");
  };
  constexpr std::string_view kLocked = "node n1 has been locked within 5m0s: node lock contention";
  EXPECT_EQ(answer_of({R"("Failed to bind pod" pod="ns/p")", error(kLocked)}), failed(kLocked))
      << "an extender's bind";
  for (const char* said : {R"("Plugin failed" err="x" plugin="V" pod="ns/p" node="n1")",
                           R"("Plugin failed" err="x" plugin="V" pod="ns/p")",
                           R"("Plugin Failed" err="x" plugin="V" pod="ns/p" node="n1")",
                           R"("Failed running Reserve plugin" err="x" plugin="V" pod="ns/p")",
                           R"("Failed running Permit plugin" err="x" plugin="V" pod="ns/p")",
                           R"("Failed waiting on permit for pod" err="x" pod="ns/p")",
                           R"("Failed running PreBind plugin" err="x" plugin="V" pod="ns/p")",
                           R"("Failed running Bind plugin" err="x" plugin="V" pod="ns/p")"})
    EXPECT_EQ(answer_of({said, error("x")}), failed("x")) << said;
  for (const char* err :
       {R"(running Reserve plugin \"V\": x)", R"(running Permit plugin \"V\": x)",
        "waiting on permit for pod: x",
        R"(running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded)",
        R"(running Bind plugin \"V\": x)", R"(running PreBindPreFlight \"V\": x)",
        "pod 3f1c-2a(ns/p) is in the cache, so can't be assumed", "setNodeLock exceeds retry count 5",
        "releaseNodeLock exceeds retry count 5", "node n1 is locked",
        "malformed lock annotation: expected 3 parts, got 2 from x",
        "failed to set node lock (node=n1, retry strategy={Steps:5}): x",
        "failed to release node lock (node=n1, retry strategy={Steps:5}): context deadline exceeded",
        "waiting for minCount pods from a gang to be waiting on permit",
        "pod group is unschedulable: waiting for minCount pods from a gang to be waiting on permit",
        "pod group is waiting for preemption to complete",
        R"(Operation cannot be fulfilled on nodes \"n1\": the object has been modified)"})
    EXPECT_EQ(answer_of({error(err)}), failed(err)) << "without what is said before";
  for (const char* err : {R"(running PreFilter plugin \"V\": x)", R"(running PreScore plugin \"V\": x)"})
    EXPECT_EQ(answer_of({error(err)}), body("failed", "failed", err, "")) << "a plugin of the filter";
  EXPECT_EQ(answer_of({R"("Plugin failed" err="x" node="n1" operation="addPod" plugin="V" pod="ns/p")",
                       error("x")}),
            body("failed", "failed", "x", ""))
      << "said of the filter, with pods that are nominated";
}

// A pod group is tried as one: a pod that has a place gets the verdict on the group.
TEST(KubeSchedulerBind, APodHasItsPlaceWhenItsGroupFails) {
  const auto told = [](std::string_view begin, std::string_view end) {
    DiagnosisStore store;
    test::read(store, test::log_of({std::string(begin).append(end).append(1, '"')}));
    const Diagnosis found = store.find("ns", "p").value_or(Diagnosis{});
    return std::string(to_string(found.filter.verdict)) + ' ' + found.bind.summary;
  };
  for (const std::string_view begin :
       {R"("Unable to schedule pod belonging to a pod group; waiting" podGroup="ns/g" pod="ns/p" err=")",
        R"("Error scheduling pod; retrying" podGroup="ns/g" pod="ns/p" err=")",
        R"("Unable to schedule pod; no fit; waiting" podGroup="ns/g" pod="ns/p" err=")",
        R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message=")"})
    for (const std::string says :
         {"waiting for minCount pods from a gang to be waiting on permit",
          "pod group is unschedulable: waiting for minCount pods from a gang to be waiting on permit",
          "pod group is waiting for preemption to complete"})
      EXPECT_EQ(told(begin, says), "passed " + says) << begin;
}

TEST(KubeSchedulerBind, TheNodeOfABindThatAPluginEndsIsKnown) {
  for (const char* said : {R"("Plugin failed" err="x" plugin="V" pod="ns/p" node="n1")",
                           R"("Plugin Failed" err="x" pod="ns/p" node="n1")",
                           R"("Failed running PreBind plugin" err="x" pod="ns/p" node="n1")",
                           R"("Failed running Bind plugin" err="x" pod="ns/p" node="n1")",
                           R"("Pod rejected by PreBind plugin" pod="ns/p" node="n1" status="x")",
                           R"("Pod rejected by Bind plugin" pod="ns/p" node="n1" status="x")"})
    EXPECT_NE(answer_of({said, R"("Error scheduling pod; retrying" err="x" pod="ns/p")"}, "ns/p", true)
                  .find(R"("node":"n1")"),
              std::string::npos)
        << said;
}

// What a plugin says of a pod that has its node comes as a verdict that no node fits.
TEST(KubeSchedulerBind, AVerdictOnAPodThatHasItsNodeIsTheBinds) {
  const std::string end = no_fit("0/1 nodes are available: 1 Insufficient cpu.");
  const std::string failed =
      body("failed", "passed", "", "",
           R"({"status":"failed","summary":"0/1 nodes are available: 1 Insufficient cpu."})");
  constexpr std::string_view kRejected =
      R"("Pod rejected by PreBind plugin" pod="ns/p" node="n1" plugin="V" status="Insufficient cpu")";
  EXPECT_EQ(answer_of({kRejected, end}), failed);
  EXPECT_EQ(answer_of({kRejected, end, end}), answer_of({end})) << "and then there is none that fits";
  DiagnosisStore store;
  SchedulerLog log(store);
  for (const std::string& said : {std::string(kRejected), end})
    log.read(flow::whole_record("I0821 07:20:00.000001       1 a.go:1] " + said));
  EXPECT_TRUE(log.counts().failures.contains("Insufficient cpu")) << "its advice, too";
}

TEST(KubeSchedulerBind, APodThatWaitsForOthersHasItsNode) {
  constexpr std::string_view kWaits = R"("Pod waiting on permit" pod="ns/p")";
  constexpr std::string_view kEnds =
      R"("Pod rejected while waiting on permit" pod="ns/p" status="rejected due to timeout after waiting 1m0s at plugin G")";
  constexpr std::string_view kRefused = "0/1 nodes are available: 1 optimistic rejection in PostFilter.";
  constexpr std::string_view kTimeout =
      "0/1 nodes are available: 1 rejected due to timeout after waiting 1m0s at plugin G.";
  const auto failed = [](std::string_view summary) {
    return body("failed", "passed", "", "",
                R"({"status":"failed","summary":")" + std::string(summary) + "\"}");
  };
  EXPECT_EQ(answer_of({kBegin, kWaits}), body("pending", "passed", "", ""));
  EXPECT_EQ(answer_of({kBegin, kWaits, no_fit(kRefused)}), failed(kRefused));
  EXPECT_EQ(answer_of({kEnds, no_fit(kRefused)}), failed(kRefused));
  EXPECT_EQ(answer_of({no_fit(kTimeout)}), failed(kTimeout)) << "at -v=2";
  EXPECT_EQ(answer_of({kBegin, kWaits, kBound}), body("succeeded", "passed", "", kNode1, kBoundOnly));
}

}  // namespace
}  // namespace flowtap::diagnosis
