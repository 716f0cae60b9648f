// Nodes that are named and nodes that are only counted are all the nodes that there are.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "explain/diagnosis/failed_nodes.hpp"
#include "tests/unit/explain/diagnosis/counts/node_sums.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::expect_sums;

TEST(Counts, NamedAndCountedNodesAreAllThatThereAre) {
  const auto logs = test::golden_logs();
  ASSERT_GT(logs.size(), 20U);
  std::size_t checked = 0;
  for (const std::string& log : logs) {
    DiagnosisStore store(1000);
    test::read(store, test::golden(log));
    checked += test::expect_sums(store, log);
  }
  EXPECT_GT(checked, 20U);
}

Diagnosis answer_of(std::initializer_list<std::string_view> bodies) {
  DiagnosisStore store;
  test::read(store, test::log_of(bodies));
  return store.find("ns", "p").value_or(Diagnosis{});
}

std::string no_fit(std::string_view reasons, int nodes) {
  return R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/)" + std::to_string(nodes) +
         " nodes are available: " + std::string(reasons) + ".\"";
}

std::string unnamed(const Diagnosis& diagnosis) {
  const FailedNodes failed = failed_nodes(diagnosis);
  std::string out = std::to_string(failed.others) + ":";
  for (const NodesReason& one : failed.unnamed)
    out.append(" ").append(std::to_string(one.nodes)).append("*").append(one.reason);
  return out;
}

constexpr std::string_view kTainted =
    R"("node had untolerated taints" pod="ns/p" node="n1" untoleratedTaint={"key":"b","value":"y","effect":"NoSchedule"})";

TEST(Counts, ANodeWithATaintIsCountedByThatTaint) {
  EXPECT_EQ(unnamed(answer_of({kTainted, no_fit("2 node(s) had untolerated taint(s)", 2)})),
            "1: 1*node(s) had untolerated taint(s)");
  const std::string a_and_b =
      "1 node(s) had untolerated taint {a: x}, 1 node(s) had untolerated taint {b: y}";
  EXPECT_EQ(unnamed(answer_of({kTainted, no_fit(a_and_b, 2)})), "1: 1*node(s) had untolerated taint {a: x}");
  EXPECT_EQ(
      unnamed(answer_of(
          {R"("node had untolerated taints" pod="ns/p" node="n1" untoleratedTaint="&Taint{Key:b,Value:y,Effect:NoSchedule,TimeAdded:<nil>,}")",
           no_fit(a_and_b, 2)})),
      "1: 1*node(s) had untolerated taint {a: x}")
      << "as Go prints it";
  EXPECT_EQ(unnamed(answer_of({kTainted, no_fit("1 node(s) had taint {b: y}, that the pod didn't tolerate, 1 "
                                                "Insufficient cpu",
                                                2)})),
            "1: 1*Insufficient cpu")
      << "up to 1.23";
  EXPECT_EQ(unnamed(answer_of({kTainted, no_fit("1 NodeUnfitPod, 2 Insufficient cpu", 3)})),
            "2: 2*Insufficient cpu 1*NodeUnfitPod")
      << "it is none that an extender turns down";
}

TEST(Counts, ANodeWithoutRoomOnACellIsCountedWhateverTheContainer) {
  constexpr std::string_view kVerdict =
      R"("early verdict" logID="ns/p/c-1" node="w1" resource="cpu" suitable="false")";
  for (const char* counted : {"1 cannot align container: c-1", "1 cannot align container",
                              "1 cannot align init container: c-1", "1 cannot align pod"})
    EXPECT_EQ(unnamed(answer_of({kVerdict, no_fit("1 Insufficient memory, " + std::string(counted), 2)})),
              "1: 1*Insufficient memory")
        << counted;
}

std::string names_of(const Diagnosis& diagnosis) {
  std::string out;
  for (const NodeVerdict& node : diagnosis.nodes) out.append(node.name).append(" ");
  return out;
}

// What plugins say when they are asked as if pods were gone is not counted. At a low level no line says that this begins.
TEST(Counts, NodesThatArePassedOverForRoomAreNotNamed) {
  const auto spread = [](const char* node) {
    return R"("Node failed spreadConstraint: matchNum + selfMatchNum - minMatchNum > maxSkew" pod="ns/p" node=")" +
           std::string(node) + '"';
  };
  const Diagnosis four =
      answer_of({spread("n3"), spread("n1"), spread("n3"), spread("n2"), spread("n4"),
                 no_fit("2 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints", 4)});
  EXPECT_EQ(names_of(four), "n1 n3 ") << "those that were named first";
  EXPECT_EQ(unnamed(four), "2: 2*Insufficient cpu");
  expect_sums(four, 4, "spreading: ");
  EXPECT_EQ(unnamed(answer_of({spread("n1"), no_fit("2 Insufficient cpu", 2)})), "2: 2*Insufficient cpu");

  constexpr std::string_view kUnavailable =
      R"("AvailableOnNodes does not match" pod="ns/p" node="n1" claim="ns/c")";
  constexpr std::string_view kAllClaims =
      R"("pod unschedulable" pod="ns/p" node="n2" reason="cannot allocate all claims")";
  const Diagnosis claims =
      answer_of({kUnavailable, kAllClaims, no_fit("1 Insufficient cpu, 1 cannot allocate all claims", 2)});
  EXPECT_EQ(names_of(claims), "n2 ");
  EXPECT_EQ(unnamed(claims), "1: 1*Insufficient cpu");
  EXPECT_EQ(unnamed(answer_of({kUnavailable, kAllClaims, no_fit("2 Insufficient cpu", 2)})),
            "2: 2*Insufficient cpu");
}

// A node that is passed over for room may fail for another reason then. It is counted by the first one.
TEST(Counts, ANodeIsNamedWithTheReasonByWhichItIsCounted) {
  constexpr std::string_view kSpread1 =
      R"("Node failed spreadConstraint: matchNum + selfMatchNum - minMatchNum > maxSkew" pod="ns/p" node="n1")";
  const auto claims = [](const char* node) {
    return R"("pod unschedulable" pod="ns/p" node=")" + std::string(node) +
           R"(" reason="cannot allocate all claims")";
  };
  const std::string counted =
      no_fit("1 cannot allocate all claims, 1 node(s) didn't match pod topology spread constraints", 2);
  const Diagnosis later = answer_of({kSpread1, claims("n3"), claims("n1"), counted});
  EXPECT_EQ(names_of(later), "n1 n3 ");
  ASSERT_EQ(later.nodes.size(), 2U);
  EXPECT_EQ(later.nodes[0].reason, "node(s) didn't match pod topology spread constraints");
  EXPECT_TRUE(later.nodes[0].line.contains("spreadConstraint")) << later.nodes[0].line;
  EXPECT_EQ(later.nodes[1].reason, "cannot allocate all claims");
  expect_sums(later, 2, "two reasons, the second one not counted: ");
  // n1 is one of those that are only counted, and only its later reason is said.
  EXPECT_EQ(names_of(answer_of(
                {claims("n3"), claims("n1"), no_fit("1 Insufficient cpu, 1 cannot allocate all claims", 2)})),
            "n3 ");
}

// The same of the NUMA-aware scheduler, whose lines about containers stand at -v=2 in either run.
TEST(Counts, CellsThatAreAskedForOnceMoreNameNoNode) {
  const auto spread = [](const char* node) {
    return R"("Node failed spreadConstraint: matchNum + selfMatchNum - minMatchNum > maxSkew" pod="ns/p" node=")" +
           std::string(node) + '"';
  };
  const auto cells = [](const char* node) {
    return R"("cannot align container" logID="ns/p" podUID="u" node=")" + std::string(node) +
           R"(" flow="filter" name="c" kind="app")";
  };
  const std::string_view spreads = "node(s) didn't match pod topology spread constraints";
  const Diagnosis found =
      answer_of({spread("n2"), cells("n1"), cells("n2"), cells("n3"), spread("n1"),
                 no_fit("1 Insufficient cpu, 1 cannot align container, 1 " + std::string(spreads), 3)});
  EXPECT_EQ(names_of(found), "n1 n2 ");
  ASSERT_EQ(found.nodes.size(), 2U);
  EXPECT_EQ(found.nodes[0].reason, "cannot align container");
  EXPECT_EQ(found.nodes[1].reason, spreads);
  expect_sums(found, 3, "cells, and room that is made: ");
  EXPECT_EQ(unnamed(answer_of({cells("n1"), cells("n2"), no_fit("2 Insufficient cpu", 2)})),
            "2: 2*Insufficient cpu");
  // Words that are not known may be those for cells.
  EXPECT_EQ(names_of(answer_of({cells("n1"), no_fit("1 no cell fits, 1 Insufficient cpu", 2)})), "n1 ");
}

// At once it says two things of such a node, and the second one counts.
TEST(Counts, ANodeWhoseClaimIsElsewhereMayBeCountedByOthers) {
  const Diagnosis found =
      answer_of({R"("AvailableOnNodes does not match" pod="ns/p" node="n1" claim="ns/c")",
                 R"("pod unschedulable" pod="ns/p" node="n1" reason="cannot allocate all claims")",
                 no_fit("1 Insufficient cpu, 1 cannot allocate all claims", 2)});
  EXPECT_EQ(names_of(found), "n1 ");
  expect_sums(found, 2, "a claim elsewhere, others not there: ");
}

TEST(Counts, NoNumberIsLargerThanTheNodesThereAre) {
  EXPECT_EQ(unnamed(answer_of({no_fit("4 Insufficient cpu", 3)})), "3: 3*Insufficient cpu");
  EXPECT_EQ(unnamed(answer_of({kTainted, no_fit("2 Insufficient cpu, 2 Insufficient memory, 2 node(s) had "
                                                "untolerated taint(s)",
                                                2)})),
            "1: 1*Insufficient cpu 1*Insufficient memory 1*node(s) had untolerated taint(s)");
  const auto tainted = [](int node) {
    return R"("node had untolerated taints" pod="ns/p" node="n)" + std::to_string(node) +
           R"(" untoleratedTaint={"key":"b","value":"y","effect":"NoSchedule"})";
  };
  const Diagnosis more =
      answer_of({tainted(3), tainted(1), tainted(2), no_fit("2 node(s) had untolerated taint(s)", 2)});
  expect_sums(more, 2, "more are named: ");
  ASSERT_EQ(more.nodes.size(), 2U);
  EXPECT_EQ(more.nodes.front().name, "n1") << "those that were looked at last";
  const Diagnosis twice = answer_of({no_fit("1 Insufficient cpu, 1 Insufficient memory", 1)});
  ASSERT_EQ(twice.lacks.size(), 1U);
  EXPECT_TRUE(twice.lacks.front().contains("(1)")) << twice.lacks.front();
}

}  // namespace
}  // namespace flowtap::diagnosis
