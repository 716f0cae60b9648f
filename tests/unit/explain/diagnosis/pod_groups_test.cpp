// Pods that kube-scheduler places as a group, and pods that are made anew while it looks at them.
#include <gtest/gtest.h>

#include <string>

#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

Diagnosis of(std::initializer_list<std::string_view> bodies) {
  return test::diagnosis_of(test::log_of(bodies));
}

std::string told(const Diagnosis& found) {
  return std::string(to_string(found.status)) + ' ' + std::to_string(found.attempt) +
         (found.lifecycle.waits.empty() ? "" : " waits") + (found.lifecycle.deleted ? " deleted" : "") +
         ": " + found.filter.summary + found.bind.summary;
}

constexpr std::string_view kTried =
    R"("Attempting to schedule a pod belonging to a pod group" podGroup="ns/g" pod="ns/p")";
constexpr std::string_view kNone =
    R"("Unable to schedule pod belonging to a pod group; waiting" pod="ns/p" err="0/3 nodes are available: 3 Insufficient cpu.")";

TEST(PodGroups, AVerdictOnAPodOfAGroupIsOne) {
  EXPECT_EQ(told(of({kNone})), "failed 1: 0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(told(of({kTried, kNone, kTried, kNone})),
            "failed 2: 0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(told(of({kTried})), "pending 1: ");
  EXPECT_EQ(of({kNone}).reasons.size(), 1U);
}

TEST(PodGroups, APodThatWaitsForTheOthersHasItsNode) {
  constexpr std::string_view kWaits =
      R"("Quorum is not met for a gang. Waiting for another pod to allow" pod="ns/p" schedulingGroup={"podGroupName":"g"} activatedPods=1)";
  EXPECT_EQ(told(of({kTried, kWaits})), "pending 1 waits: ");
  EXPECT_EQ(of({kTried, kWaits}).filter.verdict, Verdict::kPassed);
  EXPECT_EQ(
      told(of(
          {kTried, kWaits,
           R"("Unable to schedule pod belonging to a pod group; waiting" pod="ns/p" err="pod group is unschedulable: waiting for minCount pods from a gang to be waiting on permit")"})),
      "failed 1: pod group is unschedulable: waiting for minCount pods from a gang to be waiting on permit");
}

// "cluster" is said in the place of the node, whether the group's name was heard before or not.
TEST(PodGroups, RoomForAGroupIsOnNoNode) {
  const auto told = [](const std::string& source, const std::string& type) {
    const std::string head = "I0821 07:20:00.000001       1 " + source + "] ";
    DiagnosisStore store;
    test::read(
        store,
        test::log_of({R"("Successfully bound pod to node" pod="ns/v" node="n7")"}) + head +
            R"("Start the preemption asynchronously" preemptor="ns/g" node="cluster" numVictims=1 numVictimsToDelete=1)" +
            type + '\n' + head +
            R"("Preemptor Pod preempted victim Pod" preemptor="ns/g" victim="ns/v" node="cluster")" + type +
            '\n');
    const auto victim = store.peek("ns/v");
    const Lifecycle life = victim ? victim->lifecycle : Lifecycle{};
    return (store.peek("ns/g") ? "a pod, " : "") + life.preempted_by + " on " + life.preempted_on;
  };
  EXPECT_EQ(told("executor.go:251", ""), "podgroup ns/g on ");
  EXPECT_EQ(told("executor.go:251", R"( preemptorType="podgroup")"), "podgroup ns/g on ");
  EXPECT_EQ(told("executor.go:251", R"( preemptorType="pod")"), "a pod, ns/g on cluster") << "a node's name";
  EXPECT_EQ(told("preemption.go:162", ""), "a pod, ns/g on cluster") << "a node's name";
}

TEST(PodGroups, APodThatWasMadeAnewMeanwhileIsAnotherOne) {
  const std::string again =
      R"("Pod was recreated while handling scheduling failure. Skip requeueing and status updates." pod="ns/p" oldUID="a-1" newUID="b-2")";
  const Diagnosis found = of({kBegin, no_fit("0/2 nodes are available: 2 Insufficient cpu."), again});
  EXPECT_EQ(told(found), "pending 1: ");
  EXPECT_EQ(found.uid, "b-2");
  EXPECT_TRUE(found.history.empty());
  EXPECT_EQ(told(of({again, no_fit("0/2 nodes are available: 2 Insufficient cpu.")})),
            "failed 1: 0/2 nodes are available: 2 Insufficient cpu.");
}

// The line that an attempt begins has no uid, and those of the NUMA-aware scheduler's plugin behind it have one.
TEST(PodGroups, APodWhoseUidIsSaidWithinItsAttemptIsAnotherOne) {
  const auto lacks = [](std::string_view uid) {
    return R"("cannot align container" pod="ns/p" podUID=")" + std::string(uid) +
           R"(" node="n1" container="c" kind="app" reason="cpu")";
  };
  const std::string one = lacks("u-1");
  const std::string other = lacks("u-2");
  const std::string full = no_fit("0/1 nodes are available: 1 cannot align container: c.");
  constexpr std::string_view kVictim =
      R"("Preemptor Pod preempted victim Pod" preemptor="ns/p" victim="ns/v" node="n1")";
  const auto room = [](const Diagnosis& found) {
    return std::to_string(found.attempt) + ' ' + std::to_string(found.history.size()) + ' ' + found.uid +
           ' ' + found.nominated + (found.victims.empty() ? "" : ": " + found.victims.front());
  };
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, one, full})), "2 1 u-1 n1: ns/v");
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, full})), "2 1  n1: ns/v") << "nobody knows";
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, other, full})), "1 0 u-2 ");
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, other})), "1 0 u-2 ");
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, full, kBegin, other, full})), "1 0 u-2 ");
  EXPECT_EQ(room(of({kBegin, one, kVictim, full, kBegin, full, other, full})), "1 0 u-2 ");
  EXPECT_EQ(room(of({kBegin, one, full, kBegin, other, kVictim, full, kBegin, other, full})),
            "2 1 u-2 n1: ns/v");
}

TEST(PodGroups, ABindOfAPodThatIsGoneSaysThatItWasDeleted) {
  for (const char* error :
       {R"(plugin \"DefaultBinder\" error binding pod \"ns/p\": pods \"p\" not found)",
        R"(binding rejected: running Bind plugin \"DefaultBinder\": pods \"p\" not found)",
        R"(running Bind plugin \"DefaultBinder\": pods \"p\" not found)"}) {
    const Diagnosis found =
        of({kBegin, R"("Error scheduling pod; retrying" err=")" + std::string(error) + R"(" pod="ns/p")"});
    EXPECT_TRUE(found.lifecycle.deleted) << error;
    EXPECT_EQ(found.bind.verdict, Verdict::kFailed) << error;
    EXPECT_EQ(found.attempt, 1U) << error;
  }
}

TEST(PodGroups, AnEventSaysThatGatesKeepThePodBack) {
  const Diagnosis found = of(
      {R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message="Scheduling is blocked due to non-empty scheduling gates")"});
  EXPECT_EQ(found.status, Diagnosis::Status::kPending);
  ASSERT_EQ(found.lifecycle.held.size(), 1U);
  EXPECT_EQ(found.lifecycle.held.front(), (HeldBack{"SchedulingGates", "waiting for scheduling gates"}));
  EXPECT_EQ(found.plugins, std::vector<std::string>{"SchedulingGates"});
}

TEST(PodGroups, APodThatANodeHasAlreadyIsBoundThere) {
  const Diagnosis found = of(
      {kBegin,
       R"("Pod was added to a different node than it was assumed" podKey="u" pod="ns/p" assumedNode="n1" currentNode="n2")"});
  EXPECT_EQ(found.status, Diagnosis::Status::kSucceeded);
  EXPECT_EQ(found.node, "n2");
}

}  // namespace
}  // namespace flowtap::diagnosis
