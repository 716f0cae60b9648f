// What becomes of a pod beside the verdicts on it.
#include <gtest/gtest.h>

#include <string>

#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

constexpr std::string_view kAdd = R"("Add event for unscheduled pod" pod="ns/p")";
constexpr std::string_view kLeaves = R"("Delete event for unscheduled pod" pod="ns/p")";
constexpr std::string_view kHasNode = R"("Add event for scheduled pod" pod="ns/p")";
constexpr std::string_view kGone = R"("Delete event for scheduled pod" pod="ns/p")";
constexpr std::string_view kNominates =
    R"("the target node for the preemption is determined" node="n1" pod="ns/p")";
constexpr std::string_view kVictim =
    R"("Preemptor Pod preempted victim Pod" preemptor="ns/p" victim="ns/v" node="n1")";
const std::string kNone = no_fit("0/2 nodes are available: 2 Insufficient cpu.");

Diagnosis of(const std::string& log, std::string_view name = "p") {
  return test::diagnosis_of(log, name);
}
Diagnosis of(std::initializer_list<std::string_view> bodies, std::string_view name = "p") {
  return of(test::log_of(bodies), name);
}

/// "failed 2 deleted": the status, the attempt, and what became of the pod.
std::string told(const Diagnosis& found) {
  const Lifecycle& life = found.lifecycle;
  std::string out = std::string(to_string(found.status)) + ' ' + std::to_string(found.attempt);
  if (life.deleted) out += " deleted";
  if (!life.preempted_by.empty()) out += " for " + life.preempted_by + " on " + life.preempted_on;
  if (!life.waits.empty()) out += " waits for " + life.waits + " on " + found.node;
  for (const HeldBack& held : life.held) out += ' ' + held.plugin + ": " + held.reason + ';';
  return out;
}
std::string told(std::initializer_list<std::string_view> bodies) {
  return told(of(bodies));
}

TEST(Lifecycle, APodThatIsDeletedIsToldInWhateverWords) {
  for (const char* said :
       {R"("Pod doesn't exist in informer cache" pod="ns/p" err="pod \"p\" not found")",
        R"("Skip schedule deleting pod" pod="ns/p")", R"("Delete event for unscheduled pod" pod="ns/p")",
        R"("Delete event for scheduled pod" pod="ns/p")",
        R"("Error updating pod" err="pods \"p\" not found" logger="UnhandledError" pod="ns/p")",
        "Skip schedule deleting pod: ns/p", "delete event for unscheduled pod ns/p",
        "delete event for scheduled pod ns/p ",
        "Pod ns/p doesn't exist in informer cache: pod \"p\" not found"}) {
    EXPECT_EQ(told({kBegin, kNone, said}), "failed 1 deleted") << said;
    EXPECT_EQ(told({kNone, said}), "failed 1 deleted") << said << ", at -v=2";
    EXPECT_EQ(told({kNone, said, kBegin, kNone}), "failed 1") << said << ": another pod of the name";
    EXPECT_TRUE(of({kNone, said}).lifecycle.line.contains("a.go:1] ")) << said;
  }
  const std::string begin = R"({"ts":1795224037000.5,"caller":"a.go:1","msg":)";
  const std::string pod = R"(,"v":3,"pod":{"name":"p","namespace":"ns"}})"
                          "\n";
  for (const char* said : {R"("Pod doesn't exist in informer cache","err":"pod \"p\" not found")",
                           R"("Skip schedule deleting pod")", R"("Delete event for unscheduled pod")"})
    EXPECT_EQ(told(of(std::string(begin)
                          .append(R"("Attempting to schedule pod")")
                          .append(pod)
                          .append(begin)
                          .append(said)
                          .append(pod))),
              "pending 1 deleted")
        << said;
  EXPECT_EQ(told({R"("Error updating pod" err="the server is down" pod="ns/p")"}), "pending 0");
  EXPECT_EQ(told({"Pod NS/p doesn't exist in informer cache: x"}), "pending 0") << "no pod's name";
}

// A text may have the pod's namespace, and then tells of this pod only if it is the same.
TEST(Lifecycle, APodIsItselfInItsOwnNamespaceOnly) {
  const auto event = [](const std::string& message) {
    return R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message=")" + message + '"';
  };
  const auto error = [](const std::string& err) {
    return R"("Error scheduling pod; retrying" pod="ns/p" err="running Bind plugin \"B\": )" + err + '"';
  };
  EXPECT_EQ(told({event("skip schedule deleting pod: ns/p")}), "pending 1 deleted");
  EXPECT_EQ(told({event("skip schedule deleting pod: other/p")}), "failed 1");
  for (const char* const own : {"p", "ns/p"}) {
    const std::string pod = std::string("pod ") + own;
    EXPECT_EQ(told({kBegin, error(pod + R"( is already assigned to node \"n2\")")}), "succeeded 1") << own;
    EXPECT_EQ(told({kBegin, error(pod + " is being deleted, cannot be assigned to a host")}),
              "failed 1 deleted")
        << own;
    for (const std::string named : {R"(pods \")", R"(binding volumes: pod does not exist any more: pod \")"})
      EXPECT_EQ(told({kBegin, error(named + own + R"(\" not found)")}), "failed 1 deleted") << named << own;
  }
  EXPECT_EQ(told({kBegin, error(R"(pod other/p is already assigned to node \"n2\")")}), "failed 1");
  EXPECT_EQ(told({kBegin, error(R"(pod \"other/p\" not found)")}), "failed 1");
  EXPECT_EQ(told({kBegin, error(R"(pod \"ns/p\" not found in cache)")}), "failed 1")
      << "it may be too new for that";
  EXPECT_EQ(told({kBegin, error("pod other/p is being deleted, cannot be assigned to a host")}), "failed 1");
}

// Volcano, whose own log is not read, tries a group as one and tells each of its pods in an event.
TEST(Lifecycle, APodOfVolcanosGroupWaitsWithItsNode) {
  const auto event = [](const std::string& message) {
    return R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message=")" + message + '"';
  };
  const std::string may = event("Pod ns/p can possibly be assigned to n1");
  const std::string once = event("Pod ns/p can possibly be assigned to n1, once resource is released");
  const std::string none = event("all nodes are unavailable: 2 Insufficient cpu, 1 Insufficient memory.");
  EXPECT_EQ(told({may}), "pending 1 waits for gang on n1");
  EXPECT_EQ(told({once}), "pending 1 waits for gang on n1");
  EXPECT_EQ(told({event("Pod other/p can possibly be assigned to n1")}), "failed 1");
  EXPECT_EQ(of(test::log_of({may})).scheduler, "Volcano");
  EXPECT_EQ(told({may, none}), "failed 1") << "no node was found: it is no error of the bind";
  EXPECT_EQ(of({may, none}).filter.verdict, Verdict::kFailed);
  EXPECT_EQ(of({may, none}).bind.verdict, Verdict::kNone);
  EXPECT_EQ(of({may, none}).reasons.size(), 2U);
}

TEST(Lifecycle, ABindThatComesTooLateSaysWhatBecameOfThePod) {
  EXPECT_EQ(
      told(
          {kBegin,
           R"("Error scheduling pod; retrying" err="running Bind plugin \"DefaultBinder\": Operation cannot be fulfilled on pods/binding \"p\": pod p is being deleted, cannot be assigned to a host" pod="ns/p")"}),
      "failed 1 deleted");
  constexpr std::string_view kTooLate =
      R"("Error scheduling pod; retrying" err="running Bind plugin \"DefaultBinder\": Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n2\"" pod="ns/p")";
  constexpr std::string_view kAborts =
      R"("Pod has been assigned to node. Abort adding it back to queue." pod="ns/p" node="n2")";
  for (const Diagnosis& found : {of({kBegin, kTooLate, kAborts}), of({kBegin, kTooLate}), of({kTooLate}),
                                 of({kBegin, kNone, kAborts}), of({kAborts})}) {
    EXPECT_EQ(told(found), "succeeded 1");
    EXPECT_EQ(found.node, "n2");
  }
  EXPECT_EQ(told({kNone, kTooLate}), "succeeded 2");
}

// Saved events have no record beside them that says the same.
TEST(Lifecycle, AnEventOfABindThatComesTooLateSaysWhatBecameOfThePod) {
  const auto event = [](const std::string& message) {
    return R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message=")" + message + '"';
  };
  for (
      const char* const gone :
      {R"(running PreBind plugin \"VolumeBinding\": binding volumes: pod does not exist any more: pod \"p\" not found)",
       R"(running Bind plugin \"DefaultBinder\": pods \"p\" not found)",
       "binding rejected: pod p is being deleted, cannot be assigned to a host", R"(pod \"p\" not found)"}) {
    EXPECT_EQ(told({event(gone)}), "failed 1 deleted") << gone;
    EXPECT_EQ(of(test::log_of({event(gone)})).bind.verdict, Verdict::kFailed) << gone;
    EXPECT_EQ(told({event(gone), event("0/2 nodes are available: 2 Insufficient cpu.")}), "failed 1")
        << "another pod of the name";
  }
  const Diagnosis assigned =
      of(test::log_of({event(R"(binding rejected: pod p is already assigned to node \"n2\")")}));
  EXPECT_EQ(told(assigned), "succeeded 1");
  EXPECT_EQ(assigned.node, "n2");
  EXPECT_EQ(told({event(R"(pod \"q\" not found)")}), "failed 1") << "one of its group";
}

// A pod that gets its node leaves the queue in the words of a deleted one, and two informers tell of it in either order.
TEST(Lifecycle, APodThatGetsItsNodeIsNotDeleted) {
  constexpr std::string_view kBinds = R"("Attempting to bind pod to node" pod="ns/p" node="n1")";
  EXPECT_EQ(told({kBegin, kBinds, kLeaves, kHasNode, kBound}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kBinds, kHasNode, kLeaves, kBound}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kBound, kLeaves, kHasNode}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kLeaves, kHasNode, kBound}), "succeeded 1") << "an extender binds it";
  EXPECT_EQ(told({kBegin, kHasNode, kLeaves, kBound}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kLeaves, kBound}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kNone, kLeaves, kHasNode}), "succeeded 1") << "somebody else has bound it";
  EXPECT_EQ(of({kBegin, kNone, kLeaves, kHasNode}).filter.summary, "");
  EXPECT_EQ(told({kNone, kBegin, kLeaves, kBound}), "succeeded 2") << "with what was before";
  EXPECT_EQ(told({kNone, kBegin, kLeaves, kHasNode, kBound}), "succeeded 2");
  EXPECT_EQ(told({kNone, kLeaves, kHasNode, kBound}), "succeeded 2");
  EXPECT_EQ(told({kBegin, kBound, kGone}), "succeeded 1 deleted");
  EXPECT_EQ(told({kBegin, kBound, kGone, kAdd}), "pending 1") << "another pod of the name";
}

// The log of a scheduler that waits for its turn to lead has only the informers' words. In a list, nobody has asked for the pod.
TEST(Lifecycle, APodThatAnotherSchedulerHasPlacedIsNotDeleted) {
  const auto listed = [](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, test::log_of(bodies));
    const auto found = store.peek("ns/p");
    return found ? (found->lifecycle.deleted ? "deleted" : "there") : "not listed";
  };
  EXPECT_STREQ(listed({kAdd, kHasNode, kLeaves}), "there");
  EXPECT_STREQ(listed({kHasNode, kLeaves}), "there");
  EXPECT_STREQ(listed({kLeaves, kHasNode}), "there") << "up to about 1.34";
  EXPECT_STREQ(listed({kAdd, kLeaves}), "deleted");
  EXPECT_STREQ(listed({kHasNode, kGone, kAdd, kLeaves}), "deleted") << "another pod of the name";
  EXPECT_STREQ(listed({kHasNode, kGone}), "not listed");
}

TEST(Lifecycle, APodThatIsDeletedInItsAttemptHasTheVerdictOfIt) {
  EXPECT_EQ(told({kBegin, kLeaves, kNone}), "failed 1 deleted");
  EXPECT_EQ(told({kBegin, kNone, kBegin, kLeaves, kNone}), "failed 2 deleted");
  EXPECT_EQ(told({kBegin, kNone, kLeaves, kNone}), "failed 1") << "another pod of the name";
  EXPECT_EQ(told({kBegin, kLeaves, kAdd, kNone}), "failed 1") << "another pod of the name";
}

TEST(Lifecycle, ADeletedPodsNameMayBeUsedAgain) {
  EXPECT_EQ(told({kAdd, kBegin, kNone, kBegin, kNone, kLeaves}), "failed 2 deleted");
  EXPECT_EQ(told({kBegin, kNone, kLeaves, kAdd}), "pending 1");
  EXPECT_EQ(told({kBegin, kNone, kLeaves, kAdd, kBegin, kNone, kBegin, kNone}), "failed 2");
  EXPECT_EQ(told({kBegin, kNone, kAdd}), "failed 1") << "a scheduler that begins anew is told of all pods";
  for (const std::string_view said : {kAdd, kHasNode, kGone})
    EXPECT_EQ(told({said}), "pending 0") << "a pod that no scheduler has tried: " << said;
}

TEST(Lifecycle, APodThatWaitsHasItsNode) {
  constexpr std::string_view kGroup =
      R"("Pod is waiting to be scheduled to node" plugin="Coscheduling" ExtensionPoint="Permit" pod="ns/p" nodeName="n1")";
  constexpr std::string_view kPermit = R"("Pod waiting on permit" pod="ns/p")";
  EXPECT_EQ(told({kGroup}), "pending 1 waits for group on n1");
  EXPECT_EQ(told({kNone, kGroup, kPermit}), "pending 2 waits for group on n1");
  EXPECT_EQ(told({kBegin, kPermit}), "pending 1 waits for permit on ");
  EXPECT_EQ(told({kBegin, kGroup, kBound}), "succeeded 1");
  EXPECT_EQ(told({kBegin, kGroup, kNone}), "failed 1") << "the others have found no place";
  EXPECT_TRUE(of({kBegin, kGroup, kLeaves}).lifecycle.deleted);
}

TEST(Lifecycle, APodThatIsEndedForAnotherOneIsTold) {
  EXPECT_EQ(told(of({kVictim}, "v")), "pending 1 for ns/p on n1");
  EXPECT_EQ(told(of({R"("Successfully bound pod to node" pod="ns/v" node="n1")", kVictim,
                     R"("Delete event for scheduled pod" pod="ns/v")"},
                    "v")),
            "succeeded 1 deleted for ns/p on n1");
  EXPECT_EQ(told(of({kVictim, R"("Attempting to schedule pod" pod="ns/v")"}, "v")), "pending 1")
      << "another pod of the name";
  EXPECT_EQ(told(of({R"("Preemptor preempted victim Pod" preemptor="ns/p" victim="ns/v" node="n1")"}, "v")),
            "pending 1 for ns/p on n1");
  EXPECT_EQ(told(of({R"("Preemptor Pod preempted victim Pod" victim="ns/v" preemptor="ns/p")"}, "v")),
            "pending 1 for ns/p on ");
}

TEST(Lifecycle, RoomIsMadeUntilThePodIsBound) {
  const auto room = [](std::initializer_list<std::string_view> bodies) {
    const Diagnosis found = of(bodies);
    std::string out = std::to_string(found.attempt) + ' ' + found.nominated + ':';
    for (const std::string& victim : found.victims) out += ' ' + victim;
    return out;
  };
  const std::string waits = no_fit(
      "0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to a terminating pod on the "
      "nominated node.");
  const std::string tried = no_fit(
      "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption "
      "victims "
      "found for incoming pod.");
  EXPECT_EQ(room({kBegin, kNominates, kVictim, kNone, kBegin}), "2 n1: ns/v");
  EXPECT_EQ(room({kBegin, kNominates, kVictim, kNone, kBegin, waits, kBegin, waits}), "3 n1: ns/v");
  EXPECT_EQ(room({kNominates, kNone, kVictim, kBound}), "2 n1: ns/v") << "told after its bind, too";
  EXPECT_EQ(room({kNominates, kVictim, kNone, tried}), "2 :") << "it has tried again, and given up";
  EXPECT_EQ(room({kNominates, kVictim, tried}), "1 n1: ns/v") << "its own attempt";
  EXPECT_EQ(room({kNominates, kVictim, kNone, kLeaves, kBegin}), "1 :") << "another pod";
  EXPECT_EQ(room({kNominates, kVictim, kNone, kBound, kBegin}), "1 :") << "another pod";
}

TEST(Lifecycle, WhoHoldsAPodBackSaysWhy) {
  const auto held = [](std::string_view plugin, std::string_view status) {
    return R"("Status after running PreEnqueue plugin" pod="ns/p" plugin=")" + std::string(plugin) +
           "\" status=" + std::string(status);
  };
  const std::string gate = held("SchedulingGates", R"("waiting for scheduling gates: [a.b/c]")");
  EXPECT_EQ(told({kAdd, gate}), "pending 1 SchedulingGates: waiting for scheduling gates: [a.b/c];");
  EXPECT_EQ(told({gate, held("SchedulingGates", R"("waiting for scheduling gates: [d]")")}),
            "pending 1 SchedulingGates: waiting for scheduling gates: [d];");
  EXPECT_EQ(told({gate, held("SchedulingGates", "{}")}),
            "pending 1 SchedulingGates: waiting for scheduling gates: [a.b/c];");
  EXPECT_EQ(told({held("SchedulingGates", "{}")}),
            "pending 1 SchedulingGates: waiting for scheduling gates;");
  EXPECT_EQ(told({held("DynamicResources", R"("could not find ResourceClaim \"ns/c\"")")}),
            "pending 1 DynamicResources: could not find ResourceClaim \"ns/c\";");
  EXPECT_EQ(told({gate, kBegin}), "pending 1");
  for (const std::string queue : {"Active", "Backoff"})
    for (const std::string says :
         {R"("Pod moved to an internal scheduling queue")",
          R"("Pod moved to an internal scheduling queue because the Pod is updated")"}) {
      const std::string freed =
          std::string(says).append(R"( pod="ns/p" event="x" queue=")").append(queue).append(1, '"');
      const Diagnosis found = of({kAdd, gate, freed});
      EXPECT_EQ(told(found), "pending 1") << freed;
      EXPECT_TRUE(found.plugins.empty()) << freed;
      EXPECT_EQ(told({kAdd, gate, freed, kBegin}), "pending 1") << freed;
      EXPECT_EQ(told({kNone, gate, freed}), "failed 1") << freed;
    }
  EXPECT_EQ(
      told({gate,
            R"("Pod moved to an internal scheduling queue" pod="ns/p" event="x" queue="Unschedulable")"}),
      "pending 1 SchedulingGates: waiting for scheduling gates: [a.b/c];");
  EXPECT_EQ(told({kNone, kLeaves, gate}), "pending 1 SchedulingGates: waiting for scheduling gates: [a.b/c];")
      << "another pod of the name";
}

// The queue stops at the first plugin that keeps the pod out, so an earlier one lets it in by then.
TEST(Lifecycle, OnlyTheLatestPluginHoldsAPodBack) {
  const auto held = [](std::string_view plugin) {
    return R"("Status after running PreEnqueue plugin" pod="ns/p" plugin=")" + std::string(plugin) +
           R"(" status="by )" + std::string(plugin) + '"';
  };
  const Diagnosis found = of({held("SchedulingGates"), held("GangScheduling")});
  EXPECT_EQ(told(found), "pending 1 GangScheduling: by GangScheduling;");
  EXPECT_EQ(found.plugins, std::vector<std::string>{"GangScheduling"});
  EXPECT_EQ(
      told(
          {held("DynamicResources"),
           R"("Event occurred" object="ns/p" kind="Pod" reason="FailedScheduling" message="Scheduling is blocked due to non-empty scheduling gates")"}),
      "pending 1 SchedulingGates: waiting for scheduling gates;");
  EXPECT_EQ(
      of({kNone,
          R"("Pod moved to an internal scheduling queue" pod="ns/p" unschedulable plugins="NodeResourcesFit")",
          held("A"), held("B")})
          .plugins,
      (std::vector<std::string>{"NodeResourcesFit", "A", "B"}))
      << "an attempt's plugins have turned nodes down";
}

}  // namespace
}  // namespace flowtap::diagnosis
