// What an answer lacks, by what the logs hold.
#include "explain/diagnosis/attempts/lacks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

using Sentences = std::vector<std::string>;

Sentences lacks_of(std::initializer_list<std::string_view> bodies) {
  DiagnosisStore store;
  test::read(store, test::log_of(bodies));
  const auto found = store.find("ns", "p");
  return found ? found->lacks : Sentences{"none found"};
}

constexpr std::string_view kBegin = R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")";
constexpr std::string_view kContainer = "Start to count dcu devices for container c";

TEST(Lacks, CardsAreNamedFromMinusV5On) {
  const Sentences cards = {"the cards that do not fit: HAMi names them from -v=5 on"};
  constexpr std::string_view kMemory =
      R"("NodeUnfitPod" pod="ns/p" node="n" reason="1/1 CardInsufficientMemory")";
  EXPECT_EQ(lacks_of({kBegin, kContainer, kMemory}), cards);
  EXPECT_EQ(lacks_of({kBegin, kContainer, R"("CardInsufficientMemory" pod="ns/p" device="A")", kMemory}),
            Sentences());
  EXPECT_EQ(lacks_of({kBegin, kContainer, R"("NodeFitPod" pod="ns/p" node="n" score=1)"}), Sentences());
  // No line says more about the cards of these nodes.
  EXPECT_EQ(
      lacks_of({kBegin, kContainer, R"("NodeUnfitPod" pod="ns/p" node="n" reason="NodeInsufficientDevice")"}),
      Sentences());
  EXPECT_EQ(
      lacks_of({kBegin, kContainer,
                R"("NodeUnfitPod" pod="ns/p" node="n" reason="2/4 AllocatedCardsInsufficientRequest")"}),
      Sentences());
  EXPECT_EQ(lacks_of({kBegin, kContainer, R"("calcScore:node not fit pod" pod="ns/p" node="n")"}),
            (Sentences{"reasons of nodes that have none here: HAMi gives them, card by card, from -v=5 on"}));
}

// By the name that it has in the rest of the answer.
TEST(Lacks, NodesAreCountedByTheSchedulerThatSaysSo) {
  constexpr std::string_view kNoFit =
      R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.")";
  const auto by = [](const std::string& who) {
    return Sentences{"nodes with taints (1): " + who + " names them from -v=4 on",
                     "nodes that " + who + " only counts (2): it names none at any level"};
  };
  const auto config = [](std::string_view profiles) {
    return "\"Using component config\" config=<\n\tkind: KubeSchedulerConfiguration\n\tprofiles:\n" +
           std::string(profiles) + " >";
  };
  constexpr std::string_view kOne = "\t- pluginConfig: []\n\t  schedulerName: gpu-scheduler\n";
  constexpr std::string_view kTwo = "\t- pluginConfig: []\n\t  schedulerName: default-scheduler\n";
  EXPECT_EQ(lacks_of({kNoFit}), by("kube-scheduler"));
  EXPECT_EQ(lacks_of({R"("all container placed" pod="ns/o" node="n")", kNoFit}),
            by("the NUMA-aware scheduler"));
  EXPECT_EQ(lacks_of({config(kOne), kNoFit}), by("gpu-scheduler"));
  EXPECT_EQ(lacks_of({config(std::string(kOne).append(kTwo)), kNoFit}), by("the scheduler"));
}

// Kunlun's and Neuron's line has all cards of the node, and none that is the one that does not do.
TEST(Lacks, OfCardsThatDoNotBelongTogetherNoneIsNamed) {
  constexpr std::string_view kVerdict = R"("NodeUnfitPod" pod="ns/p" node="n" reason="1/2 NumaNotFit")";
  EXPECT_EQ(lacks_of({kBegin, kContainer, kVerdict}), Sentences());
  for (const std::string_view line :
       {R"x("NumaNotFit" pod="ns/p" device=[{"ID":"A"},{"ID":"B"}] request nums=2 numa="(MISSING)")x",
        R"x("NumaNotFit" pod="ns/p" device=[0xc0005a1000 0xc0005a1080] request nums=2 numa="(MISSING)")x"})
    EXPECT_EQ(lacks_of({kBegin, kContainer, line, kVerdict}), Sentences()) << line;
}

TEST(Lacks, AnExtenderThatIsPassedOverSaysNothing) {
  constexpr std::string_view kSkips =
      R"("Skipping extender as it returned error and has ignorable flag set" extender={} err="Post \"https://a:443/filter\": EOF")";
  constexpr std::string_view kNoFit =
      R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/1 nodes are available: 1 Insufficient cpu.")";
  const std::string counted = "nodes that kube-scheduler only counts (1): it names none at any level";
  EXPECT_EQ(
      lacks_of({R"("Attempting to schedule pod" pod="ns/p")", kSkips, kNoFit}),
      (Sentences{"what an extender would say (it is ignorable, so it was skipped when asking it failed): "
                 "Post \"https://a:443/filter\": EOF",
                 counted}));
  EXPECT_EQ(lacks_of({kSkips, kNoFit}), Sentences{counted}) << "nobody knows for which pod";
}

TEST(Lacks, NodesThatAreOnlyCountedAreNotMoreThanAreLeft) {
  constexpr std::string_view kNoFit =
      R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.")";
  EXPECT_EQ(lacks_of({kNoFit}),
            (Sentences{"nodes with taints (1): kube-scheduler names them from -v=4 on",
                       "nodes that kube-scheduler only counts (2): it names none at any level"}));
}

TEST(Lacks, NodesThatAreOnlyCountedAreOfWhomNamesThem) {
  const auto no_fit = [](const std::string& reasons) {
    const std::string body =
        R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/9 nodes are available: )" + reasons +
        "\"";
    return lacks_of({body});
  };
  EXPECT_EQ(
      no_fit("2 Insufficient cpu, 3 node(s) had untolerated taint(s), 4 cannot align container."),
      (Sentences{
          "nodes without room on one NUMA cell (4): the NUMA-aware scheduler names them from -v=2 on, up to "
          "2024 from -v=5 on",
          "nodes with taints (3): the NUMA-aware scheduler names them from -v=4 on",
          "nodes that the NUMA-aware scheduler only counts (2): it names none at any level"}));
  EXPECT_EQ(
      no_fit("2 node(s) didn't match pod topology spread constraints, 3 cannot allocate all claims, 4 "
             "node(s) had volume node affinity conflict."),
      (Sentences{
          "nodes that spreading leaves out (2): kube-scheduler names them from -v=5 on",
          "nodes that cannot reach the pod's volume (4): kube-scheduler names them from -v=5 on",
          "nodes without the claimed devices (3): kube-scheduler names them from -v=5 on, readably with "
          "--logging-format=json"}));
  EXPECT_EQ(no_fit("9 NodeUnfitPod."),
            (Sentences{"nodes that HAMi turns down (9): its extender's own log names them, from -v=4 on"}));
  EXPECT_EQ(lacks_of({R"("Successfully bound pod to node" pod="ns/p" node="n")"}), Sentences());
}

TEST(Lacks, ContainersAreNamedOrNot) {
  constexpr std::string_view kFails = R"("NodeUnfitPod" pod="ns/p" node="n" reason="NodeInsufficientDevice")";
  EXPECT_EQ(lacks_of({kBegin, kContainer, kFails}), Sentences());
  EXPECT_EQ(lacks_of({kBegin, kFails}),
            Sentences{"the pod's containers: HAMi names them from -v=5 on, up to 2.4 at no level"});
  const Sentences which = lacks_of(
      {kBegin, kContainer, "Start to count dcu devices for container d",
       R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":1}},{"NVIDIA":{"Nums":1}}])",
       R"("device allocate success" pod="ns/p" allocate device={"NVIDIA":[{"UUID":"A"}]})", kFails});
  ASSERT_EQ(which.size(), 1U);
  EXPECT_TRUE(which.front().starts_with("the container that does not fit (1 nodes)")) << which.front();
}

TEST(Lacks, WhatTheTopologyAwarePolicyGivesIsSaidFromMinusV5On) {
  constexpr std::string_view kTries =
      R"("Allocating device for container request" pod="ns/p" card request={})";
  EXPECT_EQ(
      lacks_of(
          {kBegin, kContainer, "Start to count dcu devices for container d",
           R"("Resource requirements collected" pod="ns/p" requests=[{"NVIDIA":{"Nums":1}},{"NVIDIA":{"Nums":1}}])",
           kTries, kTries, R"("NodeUnfitPod" pod="ns/p" node="n" reason="1/2 ModeNotFit")"}),
      (Sentences{"the container that does not fit (1 nodes): it follows from what the containers before "
                 "it were given, which HAMi says from -v=5 on where its policy is topology-aware"}));
}

TEST(Lacks, NodesThatNobodyCountsAreOfWhoTurnsThemDownWithoutAWord) {
  EXPECT_EQ(
      lacks_of(
          {R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/7 nodes are available: 4 node unregisterd.")"}),
      (Sentences{
          "nodes on which HAMi knows no cards (4): its extender's own log names them, up to 2.4 at "
          "every level, then "
          "from -v=5 on",
          "reasons of nodes that no reason counts (3): an extender turned them down without a word, and its "
          "own log says why; or the pod is meant for other nodes by name, as a DaemonSet's pods are"}));
}

TEST(Lacks, LargeNumbersAreGroupedAsInTheSentence) {
  EXPECT_EQ(
      lacks_of(
          {R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/5000 nodes are available: 1200 Insufficient cpu, 3800 node unregistered.")"}),
      (Sentences{
          "nodes on which HAMi knows no cards (3,800): its extender's own log names them, up to 2.4 at every "
          "level, then from -v=5 on",
          "nodes that kube-scheduler only counts (1,200): it names none at any level"}));
}

TEST(Lacks, ReasonsThatAreCutOffAreNoExtenders) {
  const Sentences found = lacks_of(
      {R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/1500 nodes are available: 3 node(s) were unschedulable, 1200 Insufficient nvidia.com/gpu, 200 node(s) didn't match)"});
  EXPECT_FALSE(found.empty());
  for (const std::string& lacks : found) EXPECT_FALSE(lacks.contains("an extender")) << lacks;
}

TEST(Lacks, ANodeThatIsNamedIsNotLacking) {
  EXPECT_EQ(
      lacks_of(
          {R"("node had untolerated taints" pod="ns/p" node="n" untoleratedTaint={"key":"k"})",
           R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/1 nodes are available: 1 node(s) had untolerated taint(s).")"}),
      Sentences());
}

}  // namespace
}  // namespace flowtap::diagnosis
