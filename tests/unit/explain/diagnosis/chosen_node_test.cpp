// A plugin rejects a pod on the node that it has, in words as if no node was left.
#include <gtest/gtest.h>

#include <string>

#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

/// Whether the last sentence is about the node that the pod has.
bool is_binds(std::initializer_list<std::string_view> sentences) {
  DiagnosisStore store;
  std::string log;
  for (const std::string_view sentence : sentences) log += test::log_of({no_fit(sentence)});
  test::read(store, log);
  return store.find("ns", "p").value_or(Diagnosis{}).bind.verdict == Verdict::kFailed;
}

std::string only(std::string_view reason) {
  return "0/1 nodes are available: 1 " + std::string(reason) + '.';
}

constexpr std::string_view kSix =
    "0/6 nodes are available: 6 Insufficient cpu. preemption: 0/6 nodes are available: 6 No preemption "
    "victims "
    "found for incoming pod.";
constexpr std::string_view kSixOnly = "0/6 nodes are available: 6 Insufficient cpu.";

TEST(ChosenNode, SomeReasonsAreSaidOfNoOtherNode) {
  for (const char* reason : {"waiting for resource driver to allocate resource",
                             "waiting for resource driver to provide information",
                             "waiting for minCount pods from a gang to be waiting on permit",
                             R"(pod \"a-0\" rejected while waiting on permit: gang timeout)"})
    EXPECT_TRUE(is_binds({only(reason)})) << reason;
  EXPECT_FALSE(
      is_binds({"0/1 nodes are available: waiting for resource driver to allocate resource. preemption: 0/1 "
                "nodes are available: 1 Preemption is not helpful for scheduling."}));
  EXPECT_FALSE(is_binds({"0/1 nodes are available: waiting for resource driver to allocate resource."}))
      << "without a count it is about the pod";
}

TEST(ChosenNode, OthersAreWhereVerdictsCountSeveralNodes) {
  for (const char* reason : {"PodGroup not found", "resourceclaim in use"}) {
    EXPECT_TRUE(is_binds({kSix, only(reason)})) << reason;
    EXPECT_TRUE(is_binds({kSixOnly, only(reason)})) << reason;
    EXPECT_FALSE(is_binds({only(reason)})) << reason;
  }
}

// Each verdict of the filter tells of preemption then.
TEST(ChosenNode, AReasonThatNobodyKnowsIsWherePreemptionIsToldOfOthers) {
  EXPECT_TRUE(is_binds({kSix, only("my plugin says no")}));
  EXPECT_FALSE(is_binds({kSixOnly, only("my plugin says no")}));
  EXPECT_FALSE(is_binds({kSix, only("my plugin says no") + " preemption: 0/1 nodes are available: 1 x."}));
  EXPECT_FALSE(is_binds({kSix, only("Insufficient cpu")})) << "the others may be gone";
}

}  // namespace
}  // namespace flowtap::diagnosis
