// kube-scheduler's messages at each level, alone and beside HAMi's in one file.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/explain/diagnosis/kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;
using namespace test::kube_scheduler;

constexpr std::string_view kDown =
    R"("Error scheduling pod; retrying" err="Post \"http://127.0.0.1:8888/filter\": connection refused" pod="ns/p")";

TEST(KubeScheduler, EachVerdictIsAnAttemptWhereNoneBegins) {
  EXPECT_EQ(answer_of({no_fit("0/2 nodes are available: 2 Insufficient cpu."), kBound}),
            body("succeeded", "passed", "", kNode1, kBoundOnly));
  EXPECT_EQ(answer_of({kBound, no_fit("x")}), body("failed", "failed", "x", ""));
  EXPECT_EQ(
      answer_of({R"("Unable to schedule pod; no nodes are registered to the cluster; waiting" pod="ns/p")"}),
      body("failed", "failed", "no nodes are registered to the cluster", ""));
}

TEST(KubeScheduler, WhatPluginsSayOfOneNode) {
  EXPECT_EQ(
      answer_of(
          {no_fit("x"), kBegin,
           R"("node had untolerated taints" pod="ns/p" node="n1" untoleratedTaint={"key":"a","effect":"NoSchedule"})",
           R"("Calculated node's final score for pod" pod="ns/p" node="n2" score=468)",
           R"("Pod rejected by plugin" pod="ns/p" node="n3" plugin="Coscheduling" status="gang is not whole")"}),
      body(
          "pending", "", "",
          R"({"name":"n1","status":"failed","score":0,"containers":[],"reason":"node had untolerated taints, {\"key\":\"a\",\"effect\":\"NoSchedule\"}"},)"
          R"({"name":"n2","status":"passed","score":468,"containers":[]},)"
          R"({"name":"n3","status":"failed","score":0,"containers":[],"reason":"gang is not whole"})"));
}

// At -v=2 nobody says that an attempt begins.
TEST(KubeScheduler, AnErrorIsAnAttemptOfItsOwn) {
  constexpr std::string_view kRejected =
      R"("Error scheduling pod; retrying" err="binding rejected: x" pod="ns/p")";
  constexpr std::string_view kRefused = R"(Post \"http://127.0.0.1:8888/filter\": connection refused)";
  const std::string none = no_fit("0/2 nodes are available: 2 Insufficient cpu.");
  const auto attempts = [](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, test::log_of(bodies));
    const auto found = store.find("ns", "p").value_or(Diagnosis{});
    std::string out = std::to_string(found.attempt);
    for (const Diagnosis::Past& past : found.history)
      out += ' ' + past.summary + (past.at_bind ? " (bind)" : "");
    return out;
  };
  EXPECT_EQ(answer_of({none, kRejected}),
            body("failed", "passed", "", "", R"({"status":"failed","summary":"x"})"));
  EXPECT_EQ(attempts({none, kRejected}), "2 0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(answer_of({none, kDown}), body("failed", "failed", kRefused, ""));
  EXPECT_EQ(attempts({none, kDown}), "2 0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(answer_of({kBound, kDown}), body("failed", "failed", kRefused, "")) << "another pod of the name";
  EXPECT_EQ(attempts({kBound, kDown}), "1");
  EXPECT_EQ(attempts({kRejected, kRejected, none}), "3 x (bind) x (bind)");

  DiagnosisStore store;
  SchedulerLog log(store);
  for (int i = 0; i < 10; ++i)
    log.read(flow::whole_record("E0821 07:20:00.000001       1 a.go:1] " + std::string(kDown)));
  EXPECT_EQ(store.find("ns", "p").value_or(Diagnosis{}).attempt, 10U) << "the extender is down";
  EXPECT_EQ(log.counts().outcomes.at(static_cast<std::size_t>(Outcome::kNoFit)), 10U);
}

// kube-scheduler says this up to about 1.28.
TEST(KubeScheduler, ANodeThatIsGoneIsAVerdict) {
  constexpr std::string_view kGone =
      R"("Unable to schedule pod, possibly due to node not found; waiting" pod="ns/p" err="nodes \"n1\" not found")";
  EXPECT_EQ(answer_of({kGone}), body("failed", "failed", R"(nodes \"n1\" not found)", ""));
  EXPECT_EQ(answer_of({kGone, kBound, kGone}), answer_of({kGone}));
  EXPECT_EQ(answer_of({kGone, R"("Failed to bind pod" pod="ns/p")", kGone}),
            body("failed", "passed", "", "", R"({"status":"failed","summary":"nodes \"n1\" not found"})"));
}

// Room is made beside the scheduling. Pods may be ended for it after the verdict, and they still belong to that attempt.
TEST(KubeScheduler, RoomThatIsMadeIsOfTheAttempt) {
  constexpr std::string_view kNominates =
      R"("the target node for the preemption is determined" node="n1" pod="ns/p")";
  constexpr std::string_view kVictim =
      R"("Preemptor Pod preempted victim Pod" preemptor="ns/p" victim="ns/v" node="n1")";
  constexpr std::string_view kOther =
      R"("Preemptor Pod preempted victim Pod" pod="ns/p" victim="ns/w" preemptor="ns/p")";
  constexpr std::string_view kRejects =
      R"("Pod moved to an internal scheduling queue" pod="ns/p" event="ScheduleAttemptFailure" queue="Unschedulable" unschedulable plugins={"NodeAffinity":{},"NodeResourcesFit":{}})";
  const auto told = [](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, test::log_of(bodies));
    const auto found = store.find("ns", "p").value_or(Diagnosis{});
    std::string out = std::to_string(found.attempt) + ' ' + found.nominated + ':';
    for (const std::string& victim : found.victims) out += ' ' + victim;
    for (const std::string& plugin : found.plugins) out += ' ' + plugin;
    return out;
  };
  const std::string verdict = no_fit("0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(told({kBegin, kNominates, kVictim, verdict, kOther, kVictim, kRejects}),
            "1 n1: ns/v ns/w NodeAffinity NodeResourcesFit");
  constexpr std::string_view kOldRejects =
      R"("Pod moved to an internal scheduling queue" pod="ns/p" event="ScheduleAttemptFailure" unschedulable plugins=map[NodeAffinity:{} NodeResourcesFit:{}])";
  EXPECT_EQ(told({verdict, kOldRejects}), "1 : NodeAffinity NodeResourcesFit") << "up to about 1.27";
  EXPECT_EQ(told({verdict,
                  R"("Pod moved to an internal scheduling queue" pod="ns/p" unschedulable plugins=map[])"}),
            "1 :");
  EXPECT_EQ(told({kNominates, verdict, kVictim, kNominates, verdict}), "2 n1: ns/v") << "at -v=2";
  EXPECT_EQ(answer_of({kBegin, kNominates, kVictim, verdict, kRejects}), answer_of({kBegin, verdict}))
      << "the body that is the contract";
}

// It says so at -v=4. Its status may be printed as {}.
TEST(KubeScheduler, APodThatIsHeldBackIsPending) {
  constexpr std::string_view kGated =
      R"("Status after running PreEnqueue plugin" pod="ns/p" plugin="SchedulingGates" status={})";
  constexpr std::string_view kGang =
      R"("Status after running PreEnqueue plugin" pod="ns/p" plugin="GangScheduling" status={})";
  const auto told = [](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, test::log_of(bodies));
    const auto found = store.find("ns", "p").value_or(Diagnosis{});
    std::string out = std::string(to_string(found.status)) + ' ' + std::to_string(found.attempt) + ':';
    for (const std::string& plugin : found.plugins) out += ' ' + plugin;
    return out;
  };
  EXPECT_EQ(answer_of({kGated}), body("pending", "", "", ""));
  EXPECT_EQ(told({kGated, kGated, kGang}), "pending 1: GangScheduling") << "the gates are gone";
  EXPECT_EQ(told({kGated, kBegin}), "pending 1:") << "no attempt before it";
  EXPECT_EQ(told({kGated, kBegin, no_fit("x")}), "failed 1:");
  EXPECT_EQ(told({no_fit("x"), kGang}), "failed 1: GangScheduling") << "until it is tried again";
  EXPECT_EQ(told({no_fit("x"), kGang, no_fit("x")}), "failed 2:");
  EXPECT_EQ(told({kBound, kGated}), "pending 1: SchedulingGates") << "another pod of the name";
}

// The uid is in the NUMA-aware scheduler's lines, and in those of HAMi of 2024 at the bind.
TEST(KubeScheduler, AnotherUidIsAnotherPod) {
  const auto verdict = [](std::string_view uid, std::string_view node) {
    return R"("early verdict: cannot find affinity" pod="ns/p" podUID=")" + std::string(uid) + "\" node=\"" +
           std::string(node) + R"(" container="c")";
  };
  const std::string answer = answer_of({verdict("old", "n1"), verdict("new", "n2")}, "ns/p", true);
  EXPECT_NE(answer.find(R"("uid":"new")"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("n1"), std::string::npos) << answer;
  for (const char* line :
       {R"("cannot align container" pod="ns/p" podUID="u" node="n" container="c" reason="cpu")",
        R"("invalid topology data" pod="ns/p" podUID="u" node="n")",
        R"("Bind" pod="p" namespace="ns" podUID="u" node="n")"})
    EXPECT_NE(answer_of({line}, "ns/p", true).find(R"("uid":"u")"), std::string::npos) << line;
}

// These are lines of the NUMA-aware scheduler up to 2024, at -v=2.
TEST(KubeScheduler, NodesThatAreSaidWithoutAPodAreItsWhereItsVerdictCountsThem) {
  const auto invalid = [](std::string_view node) {
    return "\"invalid topology data\" node=\"" + std::string(node) + '"';
  };
  const std::string verdict = no_fit(
      "0/7 nodes are available: 1 Insufficient nvidia.com/gpu, 1 cannot align container, 1 invalid node "
      "topology data, 4 "
      "node(s) didn't match Pod's node affinity/selector.");
  constexpr std::string_view kAlign = R"("cannot align container" name="main" kind="app")";
  const auto nodes_of = [](const std::string& answer) {
    return boost::json::serialize(boost::json::parse(answer).at_pointer("/filter/nodes"));
  };
  const std::string n2 =
      R"([{"name":"n2","status":"failed","score":0,"containers":[],"reason":"invalid node topology data"}])";
  EXPECT_EQ(nodes_of(answer_of({invalid("n2"), kAlign, verdict})), n2);
  EXPECT_EQ(nodes_of(answer_of({invalid("n2"), kBound, invalid("n2"), verdict})), n2)
      << "of another pod, too";
  EXPECT_EQ(nodes_of(answer_of({invalid("n2"), invalid("n3"), verdict})), "[]") << "one is another pod's";
  EXPECT_EQ(nodes_of(answer_of({invalid("n2"), verdict, verdict})), "[]") << "said of the attempt before";
}

// Both containers' logs are one file here: each scheduler is at a pod of its own.
TEST(KubeScheduler, HamiInTheSameFile) {
  EXPECT_EQ(
      answer_of({kBegin, R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")",
                 R"("Attempting to schedule pod" pod="ns/q")",
                 R"("No available nodes meet the required scores" pod="p")",
                 no_fit("0/1 nodes are available: 1 NodeUnfitPod."),
                 R"("Attempting to bind pod to node" pod="ns/q" node="n1")"}),
      R"({"status":"failed","filter":{"status":"failed","summary":"No available nodes meet the required scores","nodes":[],)"
      R"("reasons":[{"reason":"NodeUnfitPod","nodes":1}]},"bind":{"status":"","summary":""}})");
}

TEST(KubeScheduler, HamisMessagesAreNotItsOwn) {
  EXPECT_EQ(answer_of({R"("Successfully bound pod to node" pod="p" namespace="ns" node="n1")",
                       R"("Failed to bind pod" err="x" pod="p" namespace="ns" node="n1")"}),
            body("failed", "passed", "", "", R"({"status":"failed","summary":"Failed to bind pod, x"})"));
}

}  // namespace
}  // namespace flowtap::diagnosis
