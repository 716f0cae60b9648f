// Nodes about which HAMi does not say at every level whether they fit.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;

constexpr std::string_view kBegin = R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")";

// Below -v=4, and up to 2.5 at every level, HAMi has no line that says that the chosen node fits.
TEST(HamiNodes, TheNodeThatIsChosenFits) {
  constexpr std::string_view kOldBegin = R"("begin schedule filter" pod="p" uuid="u" namespaces="ns")";
  constexpr std::string_view kFails = R"("calcScore:node not fit pod" pod="ns/p" node="n1")";
  const auto nodes = [](std::string_view score) {
    return R"({"name":"n1","status":"failed","score":0,"containers":[]},{"name":"n2","status":"passed","score":)" +
           std::string(score) + R"(,"containers":[]})";
  };
  EXPECT_EQ(answer_of({kOldBegin, kFails, "schedule ns/p to n2 map[NVIDIA:[[{0 GPU-x NVIDIA 1000 0}]]]"}),
            body("pending", "passed", "schedule ns/p to n2", nodes("0")));
  constexpr std::string_view kChosen =
      R"("Scheduling pod to node" podNamespace="ns" podName="p" nodeID="n2" devices={})";
  EXPECT_EQ(answer_of({kOldBegin, kFails, kChosen}), body("pending", "passed", "", nodes("0")));

  constexpr std::string_view kSummary = "find fit node(n2), 1 nodes not fit, 2 nodes fit(n0:0.25,n2:1.50)";
  const std::string event =
      R"("Event occurred" object="ns/p" kind="Pod" reason="FilteringSucceed" message=")" +
      std::string(kSummary) + '"';
  const std::string scored = R"({"name":"n0","status":"passed","score":0.25,"containers":[]},)";
  EXPECT_EQ(answer_of({kOldBegin, kFails, kChosen, event}),
            body("pending", "passed", kSummary, scored + nodes("1.5")));
  EXPECT_EQ(
      answer_of({kOldBegin, kFails, R"("NodeFitPod" pod="ns/p" node="n2" score=1.504)", kChosen, event}),
      body("pending", "passed", kSummary, scored + nodes("1.504")))
      << "a line says it to more digits";
}

// HAMi says of which nodes it knows no cards without naming the pod. If kube-scheduler's verdict counts as many, they are the
// pod's; otherwise some were not.
TEST(HamiNodes, NodesThatItDoesNotKnowAreThoseThatKubeSchedulerCounts) {
  const auto nodes_of = [](std::string_view counted, std::initializer_list<std::string_view> said) {
    const std::string verdict =
        R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/9 nodes are available: )" +
        std::string(counted) + '"';
    std::string log = test::log_of({R"("Attempting to schedule pod" pod="ns/p")", kBegin});
    for (const std::string_view line : said) log += test::log_of({line});
    log += test::log_of({R"("NodeUnfitPod" pod="ns/p" node="n5" reason="NodeInsufficientDevice")",
                         R"("No available nodes meet the required scores" pod="p")", verdict});
    DiagnosisStore store;
    test::read(store, log);
    std::string out;
    for (const NodeVerdict& node : store.find("ns", "p").value_or(Diagnosis{}).nodes)
      out += node.name + ": " + node.reason + (node.line.empty() ? " without a line, " : ", ");
    return out;
  };
  constexpr std::string_view kFour = R"("node unregistered" node="n4" error="node n4 not found")";
  constexpr std::string_view kSix = R"("node unregistered" node="n6" error="node n6 not found")";
  constexpr std::string_view kNoUsage = R"("node usage not found in snapshot" node="n7")";
  const std::string own = "n5: NodeInsufficientDevice, ";
  EXPECT_EQ(nodes_of("1 NodeInsufficientDevice, 2 node unregistered.", {kFour, kSix}),
            "n4: node unregistered, " + own + "n6: node unregistered, ");
  EXPECT_EQ(nodes_of("1 NodeInsufficientDevice, 1 node unregistered.", {kFour, kSix}), own);
  EXPECT_EQ(
      nodes_of("1 NodeInsufficientDevice, 1 node unregistered, 1 node usage unavailable.", {kFour, kNoUsage}),
      "n4: node unregistered, " + own + "n7: node usage unavailable, ");
  EXPECT_EQ(nodes_of("1 node unregisterd.", {"get node n4 device error, node n4 not found"}),
            "n4: node unregisterd, " + own)
      << "up to 2.4";
  EXPECT_EQ(answer_of({kBegin, kFour}), body("pending", "", "", "")) << "alone it is no verdict";
}

// At -v=0 to 3 only the events tell, and they only tell the nodes of each reason.
TEST(HamiNodes, EventsAlone) {
  const auto event = [](std::string_view message) {
    return R"("Event occurred" object="ns/p" fieldPath="" kind="Pod" apiVersion="v1" type="Warning" reason="FilteringFailed" message=")" +
           std::string(message) + '"';
  };
  EXPECT_EQ(
      answer_of({kBegin, "Start to count dcu devices for container a",
                 event("2 nodes CardTypeMismatch(n1,n2)"), event("1 nodes CardInsufficientCore(n1)"),
                 event("no available node, 2 nodes do not meet")}),
      body(
          "failed", "failed", "no available node, 2 nodes do not meet",
          R"({"name":"n1","status":"failed","score":0,"containers":[{"name":"a","status":"failed","reason":"CardInsufficientCore, CardTypeMismatch"}]},)"
          R"({"name":"n2","status":"failed","score":0,"containers":[{"name":"a","status":"failed","reason":"CardTypeMismatch"}]})"));
  EXPECT_EQ(answer_of({kBegin, event("calcScore failed no such policy for pod p")}),
            body("failed", "failed", "calcScore failed no such policy for pod p", ""));
}

}  // namespace
}  // namespace flowtap::diagnosis
