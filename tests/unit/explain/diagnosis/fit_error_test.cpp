#include "explain/diagnosis/fit_error.hpp"

#include <gtest/gtest.h>

#include <string>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/facts/fact.hpp"

namespace flowtap::diagnosis {
namespace {

// "nodes*reason; " for each reason, then "| preemption"; or "no".
std::string parsed(std::string_view sentence) {
  const auto found = parse_fit_error(sentence);
  if (!found) return "no";
  std::string out;
  for (const NodesReason& one : found->reasons)
    out.append(std::to_string(one.nodes)).append(1, '*').append(one.reason).append("; ");
  return out.append("| ").append(found->preemption);
}

TEST(FitError, ReasonsAndPreemption) {
  EXPECT_EQ(
      parsed("0/6 nodes are available: 6 Insufficient nvidia.com/gpu. no new claims to deallocate, "
             "preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."),
      "6*Insufficient nvidia.com/gpu; | preemption: 0/6 nodes are available: 6 Preemption is not helpful "
      "for scheduling.")
      << "it is said of each pod that there are no new claims to deallocate";
  EXPECT_EQ(
      parsed("0/7 nodes are available: 1 Insufficient nvidia.com/gpu, 1 cannot align container, 1 "
             "invalid node topology data, 4 node(s) didn't match Pod's node affinity/selector. "
             "preemption: 0/7 nodes are available: 3 No preemption victims found for incoming pod, 4 "
             "Preemption is not helpful for scheduling."),
      "1*Insufficient nvidia.com/gpu; 1*cannot align container; 1*invalid node topology data; 4*node(s) "
      "didn't match Pod's node affinity/selector; | preemption: 0/7 nodes are available: 3 No "
      "preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.");
  EXPECT_EQ(parsed("0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient memory."),
            "1*Insufficient cpu; 2*Insufficient memory; | ")
      << "up to 1.23";
  EXPECT_EQ(
      parsed("0/3 nodes are available: 3 Insufficient cpu. not eligible due to preemptionPolicy=Never."),
      "3*Insufficient cpu; | not eligible due to preemptionPolicy=Never.");
}

// From memory of its sources, and of kube-batch's before it.
TEST(FitError, VolcanoNeedNotSayHowManyNodesThereAre) {
  const std::string all = "all nodes are unavailable: ";
  EXPECT_EQ(parsed(all + "1 Insufficient nvidia.com/gpu, 2 Insufficient cpu."),
            "1*Insufficient nvidia.com/gpu; 2*Insufficient cpu; | ");
  EXPECT_EQ(parse_fit_error(all + "1 Insufficient nvidia.com/gpu, 2 Insufficient cpu.")->nodes, 0U);
  EXPECT_EQ(parse_fit_error(all + "3 node(s) resource fit failed.")->nodes, 3U) << "each node has a reason";
  EXPECT_EQ(parse_fit_error(all + "1 plugin gpu predicates failed.")->nodes, 0U) << "of perhaps more nodes";
  EXPECT_EQ(parse_fit_error(all + "3 node(s) resource f" + std::string(kCutOff))->nodes, 0U);
  EXPECT_EQ(parsed("0/3 nodes are unavailable: 3 Insufficient cpu."), "3*Insufficient cpu; | ");
  EXPECT_EQ(parsed("all nodes are unavailable"), "no");
  for (const char* const says :
       {"all nodes are unavailable", "all nodes are unavailable: 1 x.", "0/3 nodes are unavailable: 3 x.",
        "pod group is not ready, 1 Pending, 1 minAvailable", "1/2 tasks in gang unschedulable: x",
        "Pod ml/j-6 can possibly be assigned to n1"})
    EXPECT_TRUE(is_volcanos(says)) << says;
  for (const char* const says :
       {"0/3 nodes are available: 3 x.", "node is unavailable", "pod group is unschedulable", ""})
    EXPECT_FALSE(is_volcanos(says)) << says;
}

TEST(FitError, OneNodeMayBeOne) {
  EXPECT_EQ(parsed("0/1 node is available: 1 Insufficient cpu. preemption: x"),
            "1*Insufficient cpu; | preemption: x");
  EXPECT_EQ(parsed("0/1 node is fine: 1 Insufficient cpu."), "no");
}

TEST(FitError, AReasonMayHaveSignsOfItsOwn) {
  EXPECT_EQ(
      parsed("0/4 nodes are available: 1 node(s) had taint {node.kubernetes.io/not-ready: }, that the "
             "pod didn't tolerate, 3 node(s) had untolerated taint {nvidia.com/gpu: a.b}. preemption: x"),
      "1*node(s) had taint {node.kubernetes.io/not-ready: }, that the pod didn't tolerate; 3*node(s) "
      "had untolerated taint {nvidia.com/gpu: a.b}; | preemption: x");
  // HAMi's extender: reasons of cards within a reason, in any order up to 2.9.
  EXPECT_EQ(parsed("0/3 nodes are available: 1 6/8 CardTypeMismatch, 2/8 CardInsufficientMemory, 2 node "
                   "unregistered. preemption: 0/3 nodes are available: 3 Preemption is not helpful for "
                   "scheduling."),
            "1*2/8 CardInsufficientMemory, 6/8 CardTypeMismatch; 2*node unregistered; | preemption: 0/3 "
            "nodes are available: 3 Preemption is not helpful for scheduling.");
  EXPECT_EQ(parsed("0/3 nodes are available: 1 no. not it, 2 b. still not schedulable"),
            "1*no. not it; 2*b; | still not schedulable");
}

TEST(FitError, ANumberInAReasonIsNoCount) {
  EXPECT_EQ(parsed("0/3 nodes are available: 3 minCount (4) cannot be satisfied: 2 scheduled, 1 remaining."),
            "3*minCount (4) cannot be satisfied: 2 scheduled, 1 remaining; | ");
  EXPECT_EQ(parsed("0/5 nodes are available: 1 minCount (4) cannot be satisfied: 2 scheduled, 2 remaining, 4 "
                   "Insufficient cpu."),
            "1*minCount (4) cannot be satisfied: 2 scheduled, 2 remaining; 4*Insufficient cpu; | ")
      << "there are no more nodes";
  EXPECT_EQ(
      parsed("0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 1 zone is full, 2 "
             "Insufficient cpu, 2 "
             "Insufficient memory."),
      "1*node(s) had untolerated taint {a: b}; 1*zone is full; 2*Insufficient cpu; 2*Insufficient memory; | ")
      << "a node may have several";
  EXPECT_EQ(parsed("0/3 nodes are available: 3 my reason, 1 of 2 is left."),
            "3*my reason, 1 of 2 is left; | ")
      << "kube-scheduler would have sorted them";
  EXPECT_EQ(parsed("0/3 nodes are available: 1 my reason, 2 another one."), "1*my reason; 2*another one; | ");
  EXPECT_EQ(parsed("0/3 nodes are available: 2 Insufficient cpu, 1 Too many pods."),
            "2*Insufficient cpu; 1*Too many pods; | ")
      << "somebody else has sorted them";
  EXPECT_EQ(parsed("0/3 nodes are available: 1 Insufficient quotas, used: 1, 2 my own reason."),
            "1*Insufficient quotas, used: 1; 2*my own reason; | ");
  EXPECT_EQ(parsed("0/3 nodes are available: 3 minCount (4) cannot be satisfied: 2 scheduled, 1 rem\u2026"),
            "3*minCount (4) cannot be satisfied: 2 scheduled, 1 rem\u2026; | ");
}

// No reason is counted for more nodes than there are.
TEST(FitError, ANumberBeyondAllNodesIsNoCount) {
  EXPECT_EQ(parsed("0/3 nodes are available: 1 Insufficient cpu, 2 Node has 4 CPUs, 8 wanted."),
            "1*Insufficient cpu; 2*Node has 4 CPUs, 8 wanted; | ");
  EXPECT_EQ(parsed("0/1 nodes are available: 1 quota: used 3, 2 left."), "1*quota: used 3, 2 left; | ");
  EXPECT_EQ(parsed("0/3 nodes are available: 1 Insufficient cpu, 8 wanted, 2 Insufficient memory."),
            "1*Insufficient cpu, 8 wanted; 2*Insufficient memory; | ");
  EXPECT_EQ(parsed("0/3 nodes are available: 2 a, 3 b."), "2*a; 3*b; | ");
  EXPECT_EQ(parsed("0/3 nodes are available: 4 Insufficient cpu."), "3*Insufficient cpu; | ")
      << "a count that nothing stands before is that of all nodes at most";
  EXPECT_EQ(parsed("all nodes are unavailable: 3 a, 40 b."), "3*a; 40*b; | ")
      << "nobody says how many there are";
}

// A part of a reason that is known may be a part of another one.
TEST(FitError, AReasonThatIsCutOffHasItsMark) {
  EXPECT_EQ(parsed("0/9 nodes are available: 1 node(s) were unschedulable, 8 node(s) had untolerated taint "
                   "{dedic\u2026"),
            "1*node(s) were unschedulable; 8*node(s) had untolerated taint {dedic\u2026; | ");
  EXPECT_EQ(parsed("0/9 nodes are available: 9 Insufficient example.com/f\u2026"),
            "9*Insufficient example.com/f\u2026; | ");
  EXPECT_EQ(parsed("0/9 nodes are available: 9 Insufficient cpu\u2026"), "9*Insufficient cpu; | ");
  const auto advice = advice_for("Insufficient example.com/f\u2026");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->lacks.one, "lacks a resource that the pod asks for");
}

TEST(FitError, ANodeMayHaveTwoReasons) {
  for (const char* known : {"node(s) didn't match pod affinity/anti-affinity rules",
                            "Insufficient quotas, used: 1", "minCount (4) cannot be satisfied"})
    EXPECT_EQ(parsed("0/3 nodes are available: 2 " + std::string(known) + ", 2 my plugin says no."),
              "2*" + std::string(known) + "; 2*my plugin says no; | ")
        << "more than there are nodes";
}

TEST(FitError, ManyPartsAreToldOneByOne) {
  const auto sentence = [](std::size_t parts) {
    std::string out = "0/9 nodes are available: 9 z";
    for (std::size_t i = 0; i < parts; ++i) out += ", 1 a";
    return out + '.';
  };
  EXPECT_EQ(parsed(sentence(3)), "9*z, 1 a, 1 a, 1 a; | ");
  EXPECT_EQ(parse_fit_error(sentence(9))->reasons.size(), 2U) << "no reason has as many numbers";
  EXPECT_EQ(parse_fit_error(sentence(255))->reasons.size(), 248U);
  EXPECT_EQ(parse_fit_error(sentence(256))->reasons.size(), 257U) << "no scheduler has as many reasons";
  EXPECT_EQ(parse_fit_error(sentence(200'000))->reasons.size(), 200'001U);
}

TEST(FitError, AReasonOfAllNodesHasNoCount) {
  EXPECT_EQ(parsed("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: "
                   "0/3 nodes are available: 3 Preemption is not helpful for scheduling."),
            "3*pod has unbound immediate PersistentVolumeClaims; | preemption: 0/3 nodes are available: 3 "
            "Preemption is not helpful for scheduling.");
}

TEST(FitError, OtherSentences) {
  for (const char* text : {"", "0/", "0/3", "0/3 nodes", "1/3 nodes are available: x.", "no nodes available",
                           "0/99999999999999999999 nodes are available: x.", "0/x nodes are available: y."})
    EXPECT_EQ(parsed(text), "no") << text;
  EXPECT_EQ(parsed("0/3 nodes are available:"), "| ");
  EXPECT_EQ(parsed("0/3 nodes are available: "), "| ");
  EXPECT_EQ(parsed("0/3 nodes are available: ."), "| ");
  EXPECT_EQ(parsed("0/3 nodes are available: preemption: x"), "| preemption: x");
  EXPECT_EQ(parsed("0/3 nodes are available: 18446744073709551616 many."), "3*18446744073709551616 many; | ");
}

}  // namespace
}  // namespace flowtap::diagnosis
