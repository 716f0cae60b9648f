// Room that is made for a pod: on which node, which pods give it up, and what is said of each of them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

Diagnosis of(std::initializer_list<std::string_view> bodies, std::string_view name = "p") {
  return test::diagnosis_of(test::log_of(bodies), name);
}

/// "n1: ns/v ns/w": the node, and who gives it up.
std::string room(const Diagnosis& found) {
  std::string out = found.nominated + ':';
  for (const std::string& victim : found.victims) out += ' ' + victim;
  return out;
}

std::string victim(std::string_view name, std::string_view node,
                   std::string_view says = "Preemptor Pod preempted victim Pod") {
  return '"' + std::string(says) + R"(" preemptor="ns/p" victim="ns/)" + std::string(name) + R"(" node=")" +
         std::string(node) + '"';
}

const std::string kFull = no_fit(
    "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are "
    "available: 2 No preemption victims found for incoming pod.");
const std::string kEnding = no_fit(
    "0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to a terminating pod on the "
    "nominated node.");

TEST(Preemption, AVictimsLineNamesTheNode) {
  EXPECT_EQ(room(of({victim("v", "n1")})), "n1: ns/v");
  EXPECT_EQ(of({victim("v", "n1")}, "v").lifecycle.preempted_by, "ns/p");
  EXPECT_EQ(room(of({R"("Start the preemption asynchronously" preemptor="ns/p" node="n1" numVictims=2)"})),
            "n1:");
  EXPECT_EQ(room(of({kFull, victim("v", "n1"), kEnding, kEnding})), "n1: ns/v");
  EXPECT_EQ(room(of({victim("v", "n1"), victim("w", "n1"), kEnding})), "n1: ns/v ns/w");
  EXPECT_EQ(room(of({victim("v", "n1"), kEnding, kFull})), ":") << "it has been given up";
  EXPECT_EQ(room(of({victim("v", "n1"), kEnding, victim("w", "n2"), kEnding})), "n2: ns/v ns/w")
      << "another node, and the first one was ended all the same";
  EXPECT_EQ(room(of({victim("v", "n1"), victim("w", "n2")})), "n2: ns/v ns/w") << "in one attempt";
}

TEST(Preemption, AVictimThatIsEndingAlreadyIsNotEndedForThePod) {
  for (const char* says : {"Victim Pod is already deleted",
                           "Victim Pod is already being deleted, skipping the API call for it"}) {
    EXPECT_EQ(room(of({victim("v", "n1", says)})), "n1:") << says;
    DiagnosisStore store;
    test::read(store, test::log_of({victim("v", "n1", says)}));
    EXPECT_FALSE(store.find("ns", "v")) << says;
    const std::string other =
        R"("Preemptor Pod preempted victim Pod" preemptor="ns/o" victim="ns/v" node="n1")";
    EXPECT_EQ(of({other, victim("v", "n1", says)}, "v").lifecycle.preempted_by, "ns/o") << says;
    EXPECT_EQ(room(of({victim("v", "n1"), kEnding, victim("v", "n1", says), kEnding})), "n1: ns/v")
        << "it was ended for the pod before: " << says;
  }
}

// Those that were ended before were ended for the pod, too, wherever it goes then.
TEST(Preemption, VictimsStayToldWhenAnotherNodeIsChosen) {
  constexpr std::string_view kNominates1 =
      R"("the target node for the preemption is determined" node="n1" pod="ns/p")";
  constexpr std::string_view kNominates2 =
      R"("the target node for the preemption is determined" node="n2" pod="ns/p")";
  EXPECT_EQ(room(of({kNominates1, kFull, victim("v", "n1"), kNominates2, kEnding, victim("w", "n2")})),
            "n2: ns/v ns/w");
  EXPECT_EQ(
      room(of({kNominates1, kFull, victim("v", "n1"), kNominates2, kEnding, victim("w", "n2"), kBound})),
      "n2: ns/v ns/w");
}

// Koordinator makes room for all pods of a gang.
TEST(Preemption, AGangIsNoPodAndThePodThatWasTriedIsOne) {
  for (const std::string gangs : {"ns/g", "ns/g,ns/h"}) {
    const std::string line = R"("Preemptor Pod preempted victim Pod" triggerPod="ns/p" preemptor=")" + gangs +
                             R"(" victim="ns/v" node="n1")";
    EXPECT_EQ(room(of({line})), "n1: ns/v");
    EXPECT_EQ(of({line}, "v").lifecycle.preempted_by, "podgroup " + gangs);
    DiagnosisStore store;
    test::read(store, test::log_of({line}));
    EXPECT_FALSE(store.find("ns", "g")) << gangs;
  }
  EXPECT_EQ(
      of({R"("Preemptor Pod preempted victim Pod" triggerPod="ns/p" preemptor="ns/p" victim="ns/v" node="n1")"},
         "v")
          .lifecycle.preempted_by,
      "ns/p");
}

TEST(Preemption, APodThatWaitedWithItsNodeIsTriedAgain) {
  for (const std::string begin :
       {R"("Preemptor preempted a waiting pod" preemptorType="pod" preemptor="ns/p" waitingPod=)",
        R"("Preemptor pod rejected a waiting pod" preemptor="ns/p" waitingPod=)",
        R"("Preemptor pod preempted a waiting pod" preemptor="ns/p" waitingPod=)",
        R"("Preemptor pod rejected a pod in preBind" preemptor="ns/p" podInPreBind=)",
        R"("Preemptor rejected a pod in preBind" preemptorType="pod" preemptor="ns/p" podInPreBind=)"}) {
    const std::string line = begin + R"("ns/w" node="n1")";
    EXPECT_EQ(room(of({line})), "n1:") << "it was not ended: " << begin;
    const Diagnosis other =
        of({R"("Pod is waiting to be scheduled to node" pod="ns/w" nodeName="n1")", line}, "w");
    EXPECT_EQ(other.bind.summary, "preempted by ns/p") << begin;
    EXPECT_EQ(other.node, "n1") << begin;
    EXPECT_FALSE(other.lifecycle.over()) << begin;
    EXPECT_EQ(other.lifecycle.waits, "") << begin;
    const Diagnosis then = of(
        {line,
         R"("Unable to schedule pod; no fit; waiting" pod="ns/w" err="0/1 nodes are available: 1 preempted.")"},
        "w");
    EXPECT_EQ(then.bind.verdict, Verdict::kFailed) << begin;
    EXPECT_EQ(then.attempt, 1U) << begin;
    EXPECT_EQ(then.bind.summary, "preempted by ns/p") << "for whom: " << begin;
  }
}

// From 1.35 on such a pod is not deleted.
TEST(Preemption, AnEventTellsWhetherThePodIsEndedOrTriedAgain) {
  const auto event = [](const std::string& message) {
    return of({R"("Event occurred" object="ns/v" kind="Pod" reason="Preempted" message=")" + message + '"'},
              "v");
  };
  const Diagnosis ended = event("Preempted by pod 3f1c-2a on node n1");
  EXPECT_EQ(ended.lifecycle.preempted_by, "pod 3f1c-2a");
  EXPECT_EQ(ended.lifecycle.preempted_on, "n1");
  const Diagnosis tried = event("Preempted by podgroup 3f1c-2a on node n1 (in kube-scheduler memory).");
  EXPECT_EQ(tried.bind.verdict, Verdict::kFailed);
  EXPECT_EQ(tried.bind.summary, "Preempted by podgroup 3f1c-2a");
  EXPECT_EQ(tried.node, "n1");
  EXPECT_EQ(tried.lifecycle.preempted_by, "");
  EXPECT_FALSE(tried.lifecycle.over());
}

TEST(Preemption, APodGroupIsNoPod) {
  for (const std::string begin :
       {R"("Preemptor preempted a waiting pod" preemptorType="podgroup" preemptor="ns/g" waitingPod=)",
        R"("Preemptor rejected a pod in preBind" preemptorType="podgroup" preemptor="ns/g" podInPreBind=)"}) {
    const std::string line = begin + R"("ns/w" node="n1")";
    DiagnosisStore store;
    test::read(store, test::log_of({kBegin, line}));
    EXPECT_FALSE(store.find("ns", "g")) << begin;
    EXPECT_EQ(room(store.find("ns", "p").value_or(Diagnosis{})), ":") << "the pod that is tried: " << begin;
    const Diagnosis other =
        of({R"("Pod is waiting to be scheduled to node" pod="ns/w" nodeName="n1")", line}, "w");
    EXPECT_EQ(other.bind.summary, "preempted by podgroup ns/g") << begin;
    EXPECT_EQ(other.node, "n1") << begin;
  }
}

// The messages about victims have no preemptorType.
TEST(Preemption, APodGroupIsOneThatTheLogHasNamed) {
  const std::string victim =
      R"("Preemptor Pod preempted victim Pod" preemptor="ns/g" victim="ns/w" node="n1")";
  const std::string group = R"("Attempting to schedule pod group" podGroup="ns/g")";
  const std::string pod =
      R"("Attempting to schedule a pod belonging to a pod group" podGroup="ns/g" pod="ns/p")";
  for (const auto& [first, then] :
       {std::pair{group, victim}, std::pair{pod, victim}, std::pair{victim + R"( podGroup="ns/g")", group}}) {
    DiagnosisStore groups;
    test::read(groups, test::log_of({first, then}));
    EXPECT_FALSE(groups.find("ns", "g")) << first;
  }
  DiagnosisStore store;
  test::read(store,
             test::log_of({victim, R"("Attempting to schedule pod group" podGroup="ns/other")", victim}));
  EXPECT_TRUE(store.find("ns", "g")) << "a pod";
}

// A gang's first pod may be called as the gang. Schedulers with a gang's plugin have named groups long before 1.36, and make room
// for pods only.
TEST(Preemption, APodMayBeCalledAsItsGroup) {
  const std::string victim =
      R"("Preemptor Pod preempted victim Pod" preemptor="ns/g" victim="ns/w" node="n1")";
  const std::string group = R"("Attempting to schedule pod group" podGroup="ns/g")";
  const std::string added = R"("Add event for unscheduled pod" pod="ns/g")";
  const std::string same =
      R"("Attempting to schedule a pod belonging to a pod group" podGroup="ns/g" pod="ns/g")";
  using Lines = std::vector<std::string>;
  for (const Lines& lines :
       {Lines{R"("Pod is waiting to be scheduled to node" podGroup="ns/g" pod="ns/g" nodeName="n1")"},
        Lines{R"("Pod is waiting to be scheduled to node" podGroup="ns/g" pod="ns/p" nodeName="n1")"},
        Lines{R"("PreFilter: the pod group has too few pods" podGroup="ns/g" pod="ns/p")"},
        Lines{R"("Cannot find the pod group" podGroup="ns/g")"}, Lines{same}, Lines{added, group},
        Lines{group, added}, Lines{added, same, group}}) {
    DiagnosisStore store;
    std::string log;
    for (const std::string& line : lines) log += test::log_of({line});
    test::read(store, log + test::log_of({victim}));
    EXPECT_EQ(store.find("ns", "w").value_or(Diagnosis{}).lifecycle.preempted_by, "ns/g") << lines.front();
    EXPECT_EQ(room(store.find("ns", "g").value_or(Diagnosis{})), "n1: ns/w") << lines.front();
  }
}

// A daemon runs for long, and names come and go.
TEST(Preemption, APodGroupIsKnownThoughManyWereNamedBefore) {
  std::string log;
  for (int i = 0; i < 5000; ++i)
    log += test::log_of({R"("Attempting to schedule pod group" podGroup="ns/g)" + std::to_string(i) + '"'});
  log +=
      test::log_of({R"("Preemptor Pod preempted victim Pod" preemptor="ns/g4999" victim="ns/w" node="n1")"});
  DiagnosisStore store;
  test::read(store, log);
  EXPECT_EQ(store.find("ns", "w").value_or(Diagnosis{}).lifecycle.preempted_by, "podgroup ns/g4999");
}

// At -v=2 the group is named behind its attempt, and when the room was made already beside it.
TEST(Preemption, APodGroupIsNamedByEachMessageOfItsAttempt) {
  for (const char* says :
       {R"("Running a pod group scheduling algorithm" podGroup="ns/g" unscheduledPodsCount=3)",
        R"("Pod group is waiting for preemption" podGroup="ns/g" unschedulablePods=3 err="x")",
        R"("Unable to schedule a pod group" podGroup="ns/g" unschedulablePods=3 err="x")",
        R"("Successfully scheduled a pod group" podGroup="ns/g" scheduledPods=3 unschedulablePods=0)",
        R"("Error scheduling pod group" err="x" podGroup="ns/g" errorPods=3)"})
    EXPECT_EQ(
        of({says, R"("Preemptor Pod preempted victim Pod" preemptor="ns/g" victim="ns/w" node="n1")"}, "w")
            .lifecycle.preempted_by,
        "podgroup ns/g")
        << says;
}

TEST(Preemption, RoomThatCannotBeMadeIsNotBeingMade) {
  constexpr std::string_view kNominates =
      R"("the target node for the preemption is determined" node="n1" pod="ns/p")";
  const std::string none = no_fit("0/2 nodes are available: 2 Insufficient cpu.");
  constexpr std::string_view kLost =
      R"("Error occurred during async preemption of the last victim" err="no")";
  const auto ends = [](const std::string& pod) {
    return R"("Async Preemption finished completely" preemptor="ns/)" + pod + R"(" node="n1" result="error")";
  };
  const auto told = [](const Diagnosis& found) { return room(found) + ' ' + found.preemption; };
  EXPECT_EQ(told(of({kNominates, none, kLost, ends("p")})), ": preemption: no");
  EXPECT_EQ(told(of({kNominates, kLost, ends("p"), none})), ": preemption: no") << "before the verdict";
  EXPECT_EQ(told(of({kNominates, none, ends("p")})), "n1: ") << "an error that does not matter";
  EXPECT_EQ(told(of({kNominates, none, kLost, kLost, ends("o"), ends("p")})), "n1: ") << "whose is it?";
  EXPECT_EQ(told(of({kNominates, none, kLost, ends("o"), kLost, ends("p")})), ": preemption: no");
  EXPECT_EQ(told(of({kNominates, none, kLost, ends("p"), kNominates, none})), "n1: ") << "tried again";
  EXPECT_EQ(told(of({kNominates, victim("v", "n1"), none, kLost, ends("p")})), ": ns/v preemption: no")
      << "it was ended";
  for (const char* said : {"Preempted pod", "Tried to preempted pod"})
    EXPECT_EQ(
        told(of({kNominates, none, '"' + std::string(said) + R"(" err="no" pod="ns/v" preemptor="ns/p")"})),
        ": preemption: no")
        << said;
  EXPECT_EQ(told(of({kNominates, no_fit("0/2 nodes are available: 2 x. preemption: it is no.")})),
            ": preemption: it is no.");
  EXPECT_EQ(told(of({kNominates, kEnding})),
            "n1: preemption: not eligible due to a terminating pod on the nominated node.");
}

std::string lacks_of(const Diagnosis& found) {
  std::string out;
  for (const std::string& one : found.lacks) out += one + '\n';
  return out;
}

TEST(Preemption, AnExtenderThatIsPassedOverIsToldOfThePodOfTheNextVerdict) {
  const char* const skipped =
      R"("Skipped extender as it returned error and has ignorable flag set" extender="https://127.0.0.1:443" err="Post \"https://127.0.0.1:443/preempt\": EOF")";
  const char* const error = R"(Post "https://127.0.0.1:443/preempt": EOF)";
  EXPECT_TRUE(lacks_of(of({skipped, kFull})).contains(error));
  EXPECT_TRUE(lacks_of(of({kBegin, skipped, kFull})).contains(error));
  EXPECT_FALSE(
      lacks_of(
          of({skipped,
              R"("Unable to schedule pod; no fit; waiting" pod="ns/o" err="0/2 nodes are available: 2 Insufficient cpu.")",
              kFull}))
          .contains(error));
  const char* const at_bind =
      R"("Skipping extender in bind as it returned error and has ignorable flag set" extender="https://127.0.0.1:443" err="EOF")";
  const std::string binding = R"("Attempting to bind pod to node" pod="ns/p" node="n1")";
  EXPECT_TRUE(lacks_of(of({kBegin, binding, at_bind})).contains("EOF"));
  EXPECT_FALSE(lacks_of(of({R"("Attempting to bind pod to node" pod="ns/o" node="n1")", kBegin, at_bind}))
                   .contains("EOF"))
      << "another pod is being bound";
}

}  // namespace
}  // namespace flowtap::diagnosis
