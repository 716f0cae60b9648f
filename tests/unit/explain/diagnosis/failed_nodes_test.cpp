#include "explain/diagnosis/failed_nodes.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "explain/diagnosis/facts/fact.hpp"

namespace flowtap::diagnosis {
namespace {

Diagnosis failed(std::initializer_list<std::string> named, std::vector<NodesReason> reasons = {},
                 std::size_t all = 0) {
  Diagnosis out;
  out.filter.verdict = Verdict::kFailed;
  if (all > 0) out.filter.summary = "0/" + std::to_string(all) + " nodes are available: x.";
  for (const std::string& reason : named)
    out.nodes.push_back({.name = "n" + std::to_string(out.nodes.size()),
                         .verdict = Verdict::kFailed,
                         .score = 0,
                         .containers = {},
                         .reason = reason,
                         .cards = {}});
  out.reasons = std::move(reasons);
  return out;
}

std::string text(const std::vector<NodesReason>& reasons) {
  std::string out;
  for (const NodesReason& one : reasons)
    out.append(std::to_string(one.nodes)).append(1, '*').append(one.reason).append(1, ';');
  return out;
}

TEST(FailedNodes, EachNodeCountsOnceByWhatMostOfItsCardsHave) {
  const auto all = failed_nodes(failed({"2/8 A, 6/8 B", "4/8 A, 4/8 B", "C", ""}));
  EXPECT_EQ(all.nodes, 4U);
  EXPECT_EQ(text(all.by_reason), "1*;1*A;1*B;1*C;");
  EXPECT_EQ(text(all.unnamed), "");
  EXPECT_EQ(text(failed_nodes(failed({"1/2 B", "A", "2/2 B"})).by_reason), "2*B;1*A;") << "most nodes first";
}

TEST(FailedNodes, AreNoMoreThanThereAre) {
  const auto more = failed_nodes(failed({"A", "A", "A"}, {{"B", 2}}, 2));
  EXPECT_EQ(more.nodes, 2U);
  EXPECT_EQ(more.others, 0U);
  EXPECT_EQ(text(more.by_reason), "2*B;");
}

TEST(FailedNodes, ThatFitDoNotCount) {
  Diagnosis one = failed({"A", "B"});
  one.nodes[0].verdict = Verdict::kPassed;
  EXPECT_EQ(failed_nodes(one).nodes, 1U);
}

TEST(FailedNodes, TheContainersReasonIsTheNodes) {
  Diagnosis one = failed({""});
  one.nodes[0].containers = {{"a", Verdict::kPassed, "", {}}, {"b", Verdict::kFailed, "8/8 X", {}}};
  EXPECT_EQ(text(failed_nodes(one).by_reason), "1*X;");
}

TEST(FailedNodes, OfCountedOnesNamedOnesAreTakenOff) {
  const auto all =
      failed_nodes(failed({"8/8 A", "B"}, {{"8/8 A", 1}, {"B", 2}, {"node(s) had taints", 3}}, 6));
  EXPECT_EQ(all.nodes, 6U);
  EXPECT_EQ(text(all.by_reason), "3*node(s) had taints;2*B;1*A;");
  EXPECT_EQ(text(all.unnamed), "1*B;3*node(s) had taints;");
}

TEST(FailedNodes, WhereANodeSaysMoreThanTheCountItIsTheSameNode) {
  const auto hami = failed_nodes(failed({"8/8 A", "2/2 B"}, {{"NodeUnfitPod", 2}, {"taint", 1}}, 3));
  EXPECT_EQ(hami.nodes, 3U);
  EXPECT_EQ(text(hami.by_reason), "1*A;1*B;1*taint;");
  EXPECT_EQ(text(hami.unnamed), "1*taint;");
  const auto numa = failed_nodes(
      failed({"cannot find affinity: gpu"}, {{"cannot align container", 1}, {"Insufficient gpu", 2}}, 3));
  EXPECT_EQ(text(numa.unnamed), "2*Insufficient gpu;");
}

TEST(FailedNodes, WithSeveralReasonsOfANodeTheCountsAreKept) {
  const auto kube = failed_nodes(failed({}, {{"Insufficient cpu", 3}, {"Insufficient memory", 2}}, 3));
  EXPECT_EQ(kube.nodes, 3U);
  EXPECT_EQ(text(kube.by_reason), "3*Insufficient cpu;2*Insufficient memory;");
  const auto named =
      failed_nodes(failed({"has a taint"}, {{"node(s) had taints", 1}, {"Insufficient cpu", 1}}, 2));
  EXPECT_EQ(named.nodes, 2U);
  EXPECT_EQ(text(named.by_reason), "1*Insufficient cpu;1*node(s) had taints;");
}

TEST(FailedNodes, ThoseWithoutAReasonAreCounted) {
  const auto kube = failed_nodes(failed({}, {{"node unregisterd", 4}}, 7));
  EXPECT_EQ(kube.nodes, 7U);
  EXPECT_EQ(text(kube.by_reason), "4*node unregisterd;3*;");
}

TEST(FailedNodes, TheirNumberStandsInEitherSentence) {
  Diagnosis one = failed({"A"});
  one.filter.summary = "no available node, 1 nodes do not meet";
  one.preemption = "preemption: 0/2 nodes are available: 2 x.";
  EXPECT_EQ(failed_nodes(one).nodes, 2U);
  one.preemption = "preemption: 0/x2 nodes are available";
  EXPECT_EQ(failed_nodes(one).nodes, 1U);
  EXPECT_EQ(failed_nodes(Diagnosis{}).nodes, 0U);
}

// An extender says how many it was asked about; a main scheduler, whose reasons are counted, asks it about some of all.
TEST(FailedNodes, HamisSentenceSaysHowManyItTurnedDown) {
  for (const char* says :
       {"no available node, 3 nodes do not meet", "no available node, 3 nodes do not meet."}) {
    Diagnosis one = failed({"A", "A"});
    one.filter.summary = says;
    EXPECT_EQ(failed_nodes(one).nodes, 3U) << says;
    EXPECT_EQ(text(failed_nodes(one).by_reason), "2*A;1*;") << says;
    one.reasons = {{.reason = "NodeUnfitPod", .nodes = 2}, {.reason = "taint", .nodes = 4}};
    EXPECT_EQ(failed_nodes(one).nodes, 6U) << says;
  }
  Diagnosis other = failed({"A", "A"});
  for (const char* says :
       {"no available node, many nodes do not meet", "no available node, 3 nodes", "3 nodes do not meet"}) {
    other.filter.summary = says;
    EXPECT_EQ(failed_nodes(other).nodes, 2U) << says;
  }
}

// Without a number of all nodes, only a sentence that is whole and has one reason tells how many there are.
TEST(FailedNodes, ASentenceThatIsCutMayHaveHadMoreReasons) {
  Diagnosis one = failed({}, {{.reason = "Insufficient cpu", .nodes = 3}});
  one.filter.summary = "all nodes are unavailable: 3 Insufficient cpu.";
  EXPECT_FALSE(failed_nodes(one).at_most);
  one.filter.summary = "all nodes are unavailable: 3 Insufficient cpu, 2" + std::string(kCutOff);
  EXPECT_TRUE(failed_nodes(one).at_most);
}

}  // namespace
}  // namespace flowtap::diagnosis
