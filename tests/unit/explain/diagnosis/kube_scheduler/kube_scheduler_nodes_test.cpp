// What kube-scheduler's plugins say of single nodes, from -v=4 or -v=5 on, beside the verdict that only counts them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "explain/diagnosis/failed_nodes.hpp"
#include "tests/unit/explain/diagnosis/kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

// "n1 REASON|n2 REASON|", and how many others each reason has.
std::string nodes_of(std::initializer_list<std::string_view> bodies) {
  DiagnosisStore store;
  test::read(store, test::log_of(bodies));
  const Diagnosis found = store.find("ns", "p").value_or(Diagnosis{});
  std::string out;
  for (const NodeVerdict& node : found.nodes) {
    EXPECT_EQ(node.verdict, Verdict::kFailed) << node.name;
    out.append(node.name).append(" ").append(node.reason) += '|';
  }
  for (const NodesReason& one : failed_nodes(found).unnamed)
    out.append(std::to_string(one.nodes)).append("*").append(one.reason) += '|';
  return out;
}

constexpr std::string_view kSpread = "node(s) didn't match pod topology spread constraints";
constexpr std::string_view kUnlabelled =
    "node(s) didn't match pod topology spread constraints (missing required label)";
std::string spread(std::string_view node) {
  return R"("Node failed spreadConstraint: matchNum + selfMatchNum - minMatchNum > maxSkew" pod="ns/p" node=")" +
         std::string(node) + R"(" topologyKey="zone" matchNum=2 selfMatchNum=1 minMatchNum=0 maxSkew=1)";
}

struct Said {
  std::string line;
  std::string_view counted;
};

TEST(KubeSchedulerNodes, EachHasTheReasonThatIsCounted) {
  const Said all[] = {
      {spread("n1"), kSpread},
      {R"("Node doesn't have required topology label for spread constraint" pod="ns/p" node="n1" topologyKey="zone")",
       kUnlabelled},
      {R"("Node doesn't have required label" node="n1" label="zone")", kUnlabelled},
      {R"("PersistentVolume and node mismatch for pod" PV="pv-1" node="n1" pod="ns/p" err="no matching NodeSelectorTerms")",
       "node(s) didn't match PersistentVolume's node affinity"},
      {R"("Node cannot satisfy provisioning topology requirements of claim" node="n1" PVC="ns/data")",
       "node(s) didn't find available persistent volumes to bind"},
      {R"("Node has no accessible CSIStorageCapacity with enough capacity for PVC" node="n1" PVC="ns/data" size=26843545600 storageClass="zfs")",
       "node(s) did not have enough free storage"},
      {R"x("Won't schedule pod onto node due to volume (mismatch on label key)" pod="ns/p" node="n1" PV="pv-1" PVLabelKey="zone")x",
       "node(s) had no available volume zone"},
      {R"("allocation's node selector does not match" pod="ns/p" node="n1" resourceclaim="ns/gpus")",
       "resourceclaim not available on the node"},
      {R"("AvailableOnNodes does not match" pod="ns/p" node="n1" resourceclaim="ns/gpus")",
       "resourceclaim not available on the node"},
      {R"x("pod unschedulable" pod="ns/p" node="n1" resourceclaim="ns/gpus" reason="resourceclaim cannot be allocated for the node (unsuitable)")x",
       "resourceclaim cannot be allocated for the node (unsuitable)"},
      {R"("pod unschedulable" pod="ns/p" node="n1" claim="ns/gpus" reason="cannot schedule extended resource claim")",
       "cannot schedule extended resource claim"},
  };
  for (const auto& [line, reason] : all) {
    const std::string counted(reason);
    EXPECT_EQ(
        nodes_of({kBegin, line, no_fit("0/3 nodes are available: 2 Insufficient cpu, 1 " + counted + '.')}),
        "n1 " + counted + "|2*Insufficient cpu|")
        << line;
  }
}

// The line's words are today's, and up to 1.34 the count's are others.
TEST(KubeSchedulerNodes, AVolumeIsCountedInOlderWords) {
  EXPECT_EQ(
      nodes_of(
          {kBegin,
           R"("PersistentVolume and node mismatch for pod" PV="pv-1" node="n1" pod="ns/p" err="no matching NodeSelectorTerms")",
           no_fit(
               "0/3 nodes are available: 2 node(s) had volume node affinity conflict, 1 Insufficient cpu.")}),
      "n1 node(s) didn't match PersistentVolume's node affinity|1*Insufficient cpu|1*node(s) had volume node "
      "affinity conflict|");
}

// Plugins are asked once more, as if pods that could be ended were gone, and their lines are the same.
TEST(KubeSchedulerNodes, ADryRunOfPreemptionIsNoVerdict) {
  const std::string verdict =
      no_fit("0/3 nodes are available: 1 " + std::string(kSpread) + ", 2 Insufficient cpu.");
  const std::string one = "n1 " + std::string(kSpread) + "|2*Insufficient cpu|";
  for (
      const std::string_view begins :
      {R"("Dry run the preemption" pod="ns/p" potentialNodesNumber=3 pdbsNumber=0 offset=0 candidatesNumber=3)",
       R"("Selected candidates from a pool of nodes" pod="ns/p" potentialNodesCount=3 offset=0 sampleLength=3 sample=["n1","n2","n3"] candidates=3)"})
    EXPECT_EQ(nodes_of({kBegin, spread("n1"), begins, spread("n2"), spread("n3"), verdict}), one) << begins;
  EXPECT_EQ(
      nodes_of(
          {kBegin, spread("n1"),
           R"("Node has no accessible CSIStorageCapacity with enough capacity for PVC" node="n2" PVC="ns/d")",
           verdict}),
      one)
      << "at -v=4 nothing says that it begins, and what it finds is not counted";
  EXPECT_EQ(nodes_of({kBegin, spread("n1"), R"("Dry run the preemption" pod="ns/p")", verdict, kBegin,
                      spread("n2"), no_fit("0/1 nodes are available: 1 " + std::string(kSpread) + '.')}),
            "n2 " + std::string(kSpread) + '|')
      << "the next attempt";
}

TEST(KubeSchedulerNodes, ADryRunOfPreemptionFindsCellsThatAreNotFree) {
  constexpr std::string_view kFails =
      R"("early verdict: cannot find affinity" pod="ns/p" node="n1" container="c" resource="cpu")";
  constexpr std::string_view kAligned =
      R"("container aligned" pod="ns/p" node="n1" container="c" numaCell=0)";
  DiagnosisStore store;
  test::read(store,
             test::log_of({kBegin, kFails, R"("Dry run the preemption" pod="ns/p" potentialNodesNumber=1)",
                           kAligned, no_fit("0/1 nodes are available: 1 cannot align container.")}));
  const Diagnosis found = store.find("ns", "p").value_or(Diagnosis{});
  ASSERT_EQ(found.nodes.size(), 1U);
  EXPECT_EQ(found.nodes.front().verdict, Verdict::kFailed);
}

// In text the reason stands behind the list of claims, and nobody can tell who has written what stands there.
TEST(KubeSchedulerNodes, ADeviceThatIsLackingIsReadOutOfJson) {
  const auto lacks = [](std::string_view reason) {
    return R"({"ts":1764288000000.0,"caller":"a.go:1","msg":"pod unschedulable","v":5,"pod":{"name":"p","namespace":"ns"},"node":{"name":"n1"},"resourceclaims":[{"name":"gpus","namespace":"ns"}],"reason":")" +
           std::string(reason) + "\"}\n";
  };
  const auto nodes = [](const std::string& log) {
    DiagnosisStore store;
    test::read(store, log);
    const auto found = store.find("ns", "p").value_or(Diagnosis{});
    return found.nodes.empty() ? std::string() : found.nodes.front().name + ' ' + found.nodes.front().reason;
  };
  EXPECT_EQ(nodes(lacks("cannot allocate all claims")), "n1 cannot allocate all claims");
  EXPECT_EQ(nodes(lacks("asked by caller to stop allocating devices: enough nodes")), "")
      << "there are nodes enough without it";
  EXPECT_EQ(
      nodes_of(
          {kBegin,
           R"("pod unschedulable" pod="ns/p" node="n1" resourceclaims=["ns/gpus"] reason="cannot allocate all claims")"}),
      "");
  EXPECT_EQ(
      nodes_of({kBegin,
                R"("pod unschedulable" pod="ns/p" resourceclaim="ns/gpus" reason="resourceclaim in use")"}),
      "")
      << "it is about no node";
}

TEST(KubeSchedulerNodes, OnlyInvalidTopologyIsKeptForAPodThatNobodyNames) {
  const std::string verdict = no_fit("0/1 nodes are available: 1 invalid node topology data.");
  EXPECT_EQ(nodes_of({R"("invalid topology data" node="n1")", verdict}), "n1 invalid node topology data|");
  EXPECT_EQ(nodes_of({R"("Node doesn't have required label" node="n1" label="zone")", verdict}),
            "1*invalid node topology data|");
}

}  // namespace
}  // namespace flowtap::diagnosis
