#include "explain/diagnosis/advice.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

// "reason*nodes; " for each advice.
std::string listed(const Diagnosis& diagnosis) {
  std::string out;
  for (const Advice& advice : advice_for(diagnosis))
    out.append(advice.reason).append(1, '*').append(std::to_string(advice.nodes)).append("; ");
  return out;
}

std::string means(std::string_view reason) {
  const auto advice = advice_for(reason);
  return advice ? std::string(advice->means) : "none";
}

TEST(Advice, CountsNumbersAndNamesAreSetAside) {
  const auto advice = advice_for("2/8 CardInsufficientMemory");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->reason, "CardInsufficientMemory");
  EXPECT_EQ(advice->lacks.one, "lacks GPU memory");
  EXPECT_EQ(advice->lacks.many, "lack GPU memory");
  EXPECT_EQ(advice->nodes, 0U);
  EXPECT_EQ(advice_for("3 Insufficient example.com/fpga.")->reason, "Insufficient example.com/fpga");
  EXPECT_EQ(means("1 12/16 NumaNotFit"), means("NumaNotFit"));
  EXPECT_EQ(means("node(s) had untolerated taint {a: b}"), means("node(s) had untolerated taint(s)"));
  EXPECT_NE(means("node(s) had untolerated taint {node.kubernetes.io/not-ready: }"),
            means("node(s) had untolerated taint(s)"));
  EXPECT_EQ(means("cannot find affinity: cpu"), means("cannot find affinity"));
  EXPECT_EQ(means("node unregisterd"), means("node unregistered")) << "of another version";
  EXPECT_NE(means("Failed to lock node, node n has been locked within 5m0s: node lock contention"),
            means("Failed to lock node, timeout"));
}

TEST(Advice, OtherTextHasNone) {
  for (const char* text :
       {"", ".", "2/8 ", "2/8", "3", "CardInsufficient", "cardinsufficientmemory", "CardInsufficientMemory!",
        "2/8 CardInsufficientMemory, 1/8 NumaNotFit", "Insufficient", "node(s) had", "bind success",
        "0/3 nodes are available: 3 Insufficient cpu."})
    EXPECT_EQ(means(text), "none") << text;
}

// A quota is no lack on nodes, and a share of a device no resource of the node's.
TEST(Advice, ABroadPatternTakesOnlyAResourcesName) {
  const std::string lacks = means("Insufficient example.com/fpga");
  EXPECT_EQ(means("Insufficient aws.amazon.com/neuroncore"), lacks);
  for (const char* text :
       {("Insufficient quotas, quotaName: a, runtime: cpu:8, used: cpu:8, pod's request: cpu:1, "
         "exceedDimensions: [cpu]"),
        "Insufficient non-preemptible quotas, quotaName: a", "Insufficient gpu devices",
        "Insufficient Devices", "Insufficient batch cpu", "Insufficient capacity", "Insufficient a/b c",
        "Insufficient a/b/c", "Insufficient attachable-volumes-gce-pd",
        "Insufficient huawei.com/Ascend910B3-memory", "Insufficient example.com/vdev-memory"})
    EXPECT_NE(means(text), lacks) << text;
  for (const char* text : {"Insufficient huawei.com/Ascend910B3-memory", "Insufficient hygon.com/dcumem",
                           "Insufficient metax-tech.com/vmemory", "Insufficient iluvatar.ai/BI-V150.vCore"})
    EXPECT_EQ(means(text), means("Insufficient nvidia.com/gpumem")) << text;
  EXPECT_EQ(means("node(s) had untolerated taint {node-role.kubernetes.io/infra: }"),
            means("node(s) had untolerated taint(s)"));
}

// The sentence of a filter that failed, taken apart as an attempt does it.
Diagnosis no_fit(std::string_view reason, std::size_t nodes, std::string_view preemption) {
  Diagnosis out;
  out.filter.verdict = Verdict::kFailed;
  out.reasons = {{std::string(reason), nodes}};
  out.preemption = preemption;
  return out;
}

constexpr std::string_view kHelpsNowhere =
    "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for "
    "scheduling.";
constexpr std::string_view kNoVictims =
    "preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";

TEST(Advice, NobodyWaitsForRoomThatWouldNotDo) {
  for (const char* reason : {"Insufficient cpu", "Insufficient memory", "Insufficient hugepages-1Gi",
                             "Insufficient nvidia.com/gpu", "Insufficient example.com/fpga"}) {
    const auto small = advice_for(no_fit(reason, 3, kHelpsNowhere));
    ASSERT_EQ(small.size(), 2U) << reason;
    EXPECT_TRUE(small.front().means.starts_with("Even without other pods")) << small.front().means;
    EXPECT_EQ(small.front().todo.find("wait for"), std::string_view::npos) << small.front().todo;
    EXPECT_EQ(small.front().reason, reason);
    EXPECT_EQ(small.front().nodes, 3U);
    const auto full = advice_for(no_fit(reason, 3, kNoVictims));
    ASSERT_EQ(full.size(), 2U) << reason;
    EXPECT_EQ(full.front().means, means(reason));
  }
  Diagnosis both = no_fit("Insufficient cpu", 1, kHelpsNowhere);
  both.reasons.push_back({"Insufficient memory", 1});
  both.reasons.push_back({"node(s) had untolerated taint {a: b}", 2});
  EXPECT_EQ(listed(both),
            "node(s) had untolerated taint {a: b}*2; Insufficient cpu, Insufficient memory*1; Preemption is "
            "not helpful for scheduling*3; ");
}

// Which of its resources a node has too little of is only known if it lacks one.
TEST(Advice, ANodeThatLacksTwoResourcesMayHaveEnoughOfOne) {
  const auto means_of = [](std::size_t cpu, std::size_t gpu) {
    Diagnosis both = no_fit("Insufficient cpu", cpu, kHelpsNowhere);
    both.filter.summary = "0/3 nodes are available: ";
    both.reasons.push_back({"Insufficient nvidia.com/gpu", gpu});
    std::string out;
    for (const Advice& advice : advice_for(both))
      out.append(advice.reason).append(": ").append(advice.means).append(1, '\n');
    return out;
  };
  const std::string apart = means_of(1, 2);
  EXPECT_NE(apart.find("Insufficient cpu: Even without other pods the node would be too small: it has less"),
            std::string::npos)
      << apart;
  EXPECT_NE(apart.find("Insufficient nvidia.com/gpu: Even without other pods"), std::string::npos) << apart;
  const std::string together = means_of(3, 3);
  EXPECT_TRUE(
      together.starts_with("Insufficient cpu, Insufficient nvidia.com/gpu: Even without other pods the "
                           "node would be too small: of at least one of these"))
      << together;
  EXPECT_EQ(together.find("Even", together.find("Even") + 1), std::string::npos) << together;
}

TEST(Advice, NobodyIsToldToRaiseThePriorityBesideThatItDoesNotHelp) {
  const auto advice =
      advice_for(no_fit("Insufficient cpu", 3,
                        "preemption: 0/3 nodes are available: 1 No preemption victims found for "
                        "incoming pod, 2 Preemption is not helpful for scheduling."));
  std::string all;
  for (const Advice& one : advice) all.append(one.todo);
  EXPECT_NE(all.find("priorityClassName"), std::string::npos) << all;
  EXPECT_EQ(all.find("priority does not help"), std::string::npos) << all;
}

TEST(Advice, NobodyRaisesThePriorityWhereNoRoomIsMissing) {
  for (const char* reason :
       {"node unregisterd", "8/8 CardTypeMismatch", "Insufficient nvidia.com/gpumem",
        "Insufficient quotas, quotaName: a", "node(s) didn't satisfy plugin(s) [NodeAffinity]"})
    for (const std::string_view preemption :
         {kNoVictims, std::string_view("not eligible due to preemptionPolicy=Never.")})
      EXPECT_EQ(advice_for(no_fit(reason, 3, preemption)).size(), 1U) << reason;
  for (const char* reason : {"8/8 CardInsufficientMemory", "Too many pods", "something new",
                             "1/2 CardTypeMismatch, 1/2 CardInsufficientCore"})
    EXPECT_GT(advice_for(no_fit(reason, 3, kNoVictims)).size(),
              reason == std::string("something new") ? 0U : 1U)
        << reason;
}

TEST(Advice, OfADiagnosisIsInTheOrderOfItsNodes) {
  Diagnosis diagnosis;
  EXPECT_EQ(listed(diagnosis), "");
  diagnosis.filter.verdict = Verdict::kFailed;
  diagnosis.nodes.resize(4);
  for (NodeVerdict& node : diagnosis.nodes) node.verdict = Verdict::kFailed;
  diagnosis.nodes[0].reason = "NodeInsufficientDevice";
  diagnosis.nodes[1].containers = {{"a", Verdict::kPassed, {}, {}},
                                   {"b", Verdict::kFailed, "2/8 NumaNotFit, 3/8 CardInsufficientMemory", {}}};
  diagnosis.nodes[2].reason = "CardInsufficientMemory, something new";
  diagnosis.nodes[3] = {"n", Verdict::kPassed, 0, {}, "CardNotHealth", {}};
  EXPECT_EQ(listed(diagnosis), "CardInsufficientMemory*2; NodeInsufficientDevice*1; NumaNotFit*1; ");

  // kube-scheduler counts the same nodes, and others.
  diagnosis.reasons = {{"NodeInsufficientDevice", 1},
                       {"2/8 CardInsufficientMemory", 1},
                       {"3/4 CardInsufficientMemory, 1/4 NumaNotFit", 1},
                       {"node(s) had untolerated taint {a: b}", 3},
                       {"node(s) had untolerated taint {c: d}", 2}};
  EXPECT_EQ(listed(diagnosis),
            "node(s) had untolerated taint {a: b}*5; CardInsufficientMemory*2; NodeInsufficientDevice*1; "
            "NumaNotFit*1; ");

  diagnosis.preemption =
      "no new claims to deallocate, preemption: 0/9 nodes are available: 2 Insufficient cpu, 4 No preemption "
      "victims found for incoming pod, 5 Preemption is not helpful for scheduling..";
  diagnosis.reasons.clear();
  EXPECT_EQ(listed(diagnosis),
            "CardInsufficientMemory*2; NodeInsufficientDevice*1; NumaNotFit*1; No preemption victims found "
            "for incoming pod*4; Insufficient cpu*2; ");
}

TEST(Advice, OfNodesThatThePodIsNotMeantForComesLast) {
  Diagnosis diagnosis;
  diagnosis.filter = {Verdict::kFailed, "0/5 nodes are available", {}};
  diagnosis.reasons = {{"node(s) didn't satisfy plugin(s) [NodeAffinity]", 4}, {"Insufficient cpu", 1}};
  EXPECT_EQ(listed(diagnosis), "Insufficient cpu*1; node(s) didn't satisfy plugin(s) [NodeAffinity]*4; ");
}

// A taint of the platform's is mended on the node, and a general advice would be to tolerate it.
TEST(Advice, OfTaintsThatLinesAboutTheNodesNameIsTheirOwn) {
  Diagnosis diagnosis;
  diagnosis.filter = {Verdict::kFailed, "0/3 nodes are available", {}};
  diagnosis.nodes.resize(2);
  for (NodeVerdict& node : diagnosis.nodes) {
    node.verdict = Verdict::kFailed;
    node.reason =
        R"(node had untolerated taints, {"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"})";
  }
  diagnosis.reasons = {{"node(s) had untolerated taint(s)", 2}};
  const std::string unreachable = listed(diagnosis);
  EXPECT_EQ(unreachable.find("untolerated taint(s)"), std::string::npos) << unreachable;
  EXPECT_NE(unreachable.find("*2; "), std::string::npos) << unreachable;
  diagnosis.reasons.front().nodes = 3;
  EXPECT_NE(listed(diagnosis).find("untolerated taint(s)"), std::string::npos) << "one is not named";
}

TEST(Advice, OfWhatTwoSchedulersSaid) {
  DiagnosisStore store;
  test::read(store, test::golden("scheduler/hami-2.10-filter-failed-v4.log"));
  test::read(store, test::golden("diagnosis/hami-2.10-kube-scheduler-v4.log"));
  const auto diagnosis = store.find("default", "gpu-pod-default");
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(listed(*diagnosis),
            "NodeInsufficientDevice*1; CardInsufficientCore*1; CardTimeSlicingExhausted*1; "
            "CardInsufficientMemory*1; AllocatedCardsInsufficientRequest*1; CardTypeMismatch*1; "
            "node had untolerated taints, {\"key\":\"maintenance\",\"effect\":\"NoSchedule\"}*1; "
            "No preemption victims found for incoming pod*3; ");
}

// Whoever has given the extender's log is not told to read it.
TEST(Advice, OfNodesThatTheExtenderNamesIsTheExtendersOwn) {
  const auto of = [](std::string_view counts) {
    DiagnosisStore store;
    test::read(store,
               test::log_of(
                   {R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")",
                    R"("NodeUnfitPod" pod="ns/p" node="n2" reason="2/2 CardInsufficientMemory")",
                    R"("NodeUnfitPod" pod="ns/p" node="n3" reason="2/2 CardTypeMismatch")",
                    R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/4 nodes are available: )" +
                        std::string(counts) + ".\""}));
    return listed(store.find("ns", "p").value_or(Diagnosis{}));
  };
  EXPECT_EQ(of("2 Insufficient cpu, 2 NodeUnfitPod"),
            "Insufficient cpu*2; CardInsufficientMemory*1; CardTypeMismatch*1; ");
  EXPECT_EQ(of("1 Insufficient cpu, 3 NodeUnfitPod"),
            "CardInsufficientMemory*1; CardTypeMismatch*1; Insufficient cpu*1; NodeUnfitPod*1; ");
  // Nothing is known but the counts.
  Diagnosis counted;
  counted.filter = {.verdict = Verdict::kFailed, .summary = "0/3 nodes are available: x.", .line = {}};
  counted.reasons = {{"NodeUnfitPod", 3}};
  EXPECT_EQ(listed(counted), "NodeUnfitPod*3; ");
  counted.nodes.resize(1);  // one is named without a reason
  counted.nodes.front().verdict = Verdict::kFailed;
  EXPECT_EQ(listed(counted), "NodeUnfitPod*3; ");
}

// Another policy does not help where a node has too little in all.
TEST(Advice, OfNodesThatTheNumaAwareSchedulerNamesIsOfWhatItSaysOfThem) {
  const auto of = [](std::string_view first, std::string_view counts) {
    DiagnosisStore store;
    test::read(
        store,
        test::log_of(
            {R"(")" + std::string(first) +
                 R"(" pod="ns/p" node="n1" container="c" kind="app" resource="cpu")",
             R"("early verdict: cannot meet request" pod="ns/p" node="n2" container="c" kind="app" resource="cpu")",
             R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/4 nodes are available: )" +
                 std::string(counts) + ".\""}));
    return listed(store.find("ns", "p").value_or(Diagnosis{}));
  };
  constexpr std::string_view kLacks = "early verdict: cannot meet request";
  EXPECT_EQ(of(kLacks, "2 cannot align container: c, 2 Insufficient memory"),
            "cannot meet request: cpu*2; Insufficient memory*2; ");
  EXPECT_EQ(of(kLacks, "3 cannot align container: c, 1 Insufficient memory"),
            "cannot meet request: cpu*2; cannot align container: c*1; Insufficient memory*1; ");
  EXPECT_EQ(of("early verdict: cannot find affinity", "2 cannot align container: c, 2 Insufficient memory"),
            "Insufficient memory*2; cannot find affinity: cpu*1; cannot meet request: cpu*1; ");
}

TEST(Advice, OfADiagnosisWithoutReasonsIsOfItsPhases) {
  Diagnosis diagnosis;
  diagnosis.filter = {Verdict::kFailed, "no nodes are registered to the cluster"};
  EXPECT_EQ(listed(diagnosis), "no nodes are registered to the cluster*0; ");
  diagnosis.preemption = "preemption: not eligible due to preemptionPolicy=Never..";
  EXPECT_EQ(listed(diagnosis),
            "no nodes are registered to the cluster*0; not eligible due to preemptionPolicy=Never*0; ");

  diagnosis = {};
  diagnosis.nodes.push_back({"n", Verdict::kFailed, 0, {}, "8/8 CardTypeMismatch", {}});
  diagnosis.filter = {Verdict::kPassed, "find fit node(node3)"};
  diagnosis.bind = {Verdict::kFailed, "Failed to bind pod, pods \"p\" not found"};
  EXPECT_EQ(listed(diagnosis), "Failed to bind pod, pods \"p\" not found*0; CardTypeMismatch*1; ");
  diagnosis.bind = {Verdict::kPassed, "bind success"};
  EXPECT_EQ(listed(diagnosis), "CardTypeMismatch*1; ");
}

}  // namespace
}  // namespace flowtap::diagnosis
