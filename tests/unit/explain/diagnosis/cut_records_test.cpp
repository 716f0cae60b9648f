// Records whose end is cut off: what they say is nobody's if the pod was in that part, and a value that was in it is not made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

Diagnosis of(std::initializer_list<std::string_view> bodies) {
  return test::diagnosis_of(test::log_of(bodies));
}

std::string told(const Diagnosis& found) {
  return std::string(to_string(found.status)) + ' ' + std::to_string(found.attempt);
}

// Binds run beside each other, so the pod that was tried last is not the one that failed.
TEST(CutRecords, WhatIsSaidOfAPodThatIsCutOffIsNobodys) {
  for (const char* said :
       {R"("Error scheduling pod; retrying")", R"("Error scheduling pod; retrying" err="x")",
        R"("Error scheduling pod; retrying" err="running Bind plugin \"B\": x")",
        R"("Error scheduling pod; retrying" err=<)", R"("Unable to schedule pod; no fit; waiting")",
        R"("Unable to schedule pod; no fit; waiting" pod="ns/)",
        R"("Unable to schedule pod belonging to a pod group; waiting" err="x")",
        R"("Unable to schedule pod; no nodes are registered to the cluster; waiting")",
        R"("Attempting to schedule pod")", R"("Add event for unscheduled pod")",
        R"("Delete event for unscheduled pod")", R"("Skip schedule deleting pod")",
        R"("Pod moved to an internal scheduling queue" event="x" queue="Active")",
        R"("Event occurred" kind="Pod" reason="FailedScheduling" message="0/2 nodes are available: 2 x.")"}) {
    EXPECT_EQ(told(of({kBegin, kBound, said})), "succeeded 1") << said;
    EXPECT_EQ(told(of({kBegin, said})), "pending 1") << said;
  }
  for (const char* said :
       {R"("Successfully bound pod to node")", R"("Attempting to bind pod to node")",
        R"("Status after running PreEnqueue plugin" plugin="G" status="x")", R"("Pod waiting on permit")",
        R"("Pod has been assigned to node. Abort adding it back to queue.")",
        R"("the target node for the preemption is determined" node="n1")"}) {
    EXPECT_EQ(told(of({kBegin, said})), "pending 1") << said;
    EXPECT_EQ(of({kBegin, said}).filter.verdict, Verdict::kNone) << said;
    EXPECT_TRUE(of({kBegin, said}).lifecycle.held.empty()) << said;
    EXPECT_TRUE(of({kBegin, said}).nominated.empty()) << said;
  }
}

TEST(CutRecords, WhatPluginsSayWithoutAPodIsOfTheOneThatIsTried) {
  EXPECT_EQ(of({kBegin, R"("invalid topology data" node="n1")"}).nodes.size(), 1U);
  EXPECT_TRUE(
      of({kBegin, R"("Attempting to schedule pod")", R"("invalid topology data" node="n1")"}).nodes.empty())
      << "another pod is tried, and its name is cut off";
}

TEST(CutRecords, ABlockWithoutItsEndHasTheLinesThatItHas) {
  const auto summary = [](std::string_view err) {
    const Diagnosis found =
        of({std::string(R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=)").append(err)});
    EXPECT_EQ(found.status, Diagnosis::Status::kFailed) << err;
    return found.filter.summary;
  };
  const std::string cut(kCutOff);
  EXPECT_EQ(summary("<"), cut);
  EXPECT_EQ(summary("<   "), cut);
  EXPECT_EQ(summary("< more=\"x\""), cut);
  EXPECT_EQ(summary("<\r\trunning x"), cut) << "a newline was made another character";
  EXPECT_EQ(summary("<\t17956 x"), cut);
  EXPECT_EQ(summary("<]]></entry>"), cut);
  EXPECT_EQ(summary("<nil>"), "<nil>") << "a value of Go's";
  EXPECT_EQ(summary("<\n\t0/3 nodes are available: 2 Insufficient cpu, 1 node(s) w"),
            "0/3 nodes are available: 2 Insufficient cpu, 1 node(s) w" + cut);
  EXPECT_EQ(summary("<\n\tone\n\ttwo\n"), "one\ntwo" + cut);
  EXPECT_EQ(summary("<   \n\tone\n >"), "one") << "a terminal has filled the line";
}

// kube-scheduler's sentence about nodes that each have a taint of their own, and as many that lack GPUs.
std::string of_many(std::size_t nodes) {
  std::string out = "0/" + std::to_string(2 * nodes) + " nodes are available: ";
  for (std::size_t i = 0; i < nodes; ++i)
    out.append("1 node(s) had untolerated taint {example.com/team-")
        .append(std::to_string(i))
        .append(": yes}, ");
  return out.append(std::to_string(nodes)).append(" Insufficient nvidia.com/gpu.");
}

Diagnosis told_of(const std::string& sentence) {
  return of({R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=")" + sentence + '"'});
}

TEST(CutRecords, ALongSentenceIsReadToItsEnd) {
  const Diagnosis found = told_of(of_many(3000));
  EXPECT_EQ(found.filter.summary, of_many(3000));
  ASSERT_EQ(found.reasons.size(), 3001U);
  EXPECT_EQ(found.reasons.back().reason, "Insufficient nvidia.com/gpu");
  EXPECT_EQ(found.reasons.back().nodes, 3000U);
}

TEST(CutRecords, WhatFlowtapDoesNotKeepIsCutOff) {
  const Diagnosis found = told_of(of_many(6000));
  EXPECT_LE(found.filter.summary.size(), Attempt::kLongestSummary);
  EXPECT_TRUE(found.filter.summary.ends_with(kCutOff));
  EXPECT_EQ(std::ranges::count(found.lacks,
                               "the rest of the scheduler's sentence: flowtap keeps at most 256 KiB of it"),
            1);
}

TEST(CutRecords, ANameWithAGapIsNone) {
  for (const char* node : {"wor\u2026er-1", "wor...er-1"}) {
    const Diagnosis found =
        of({kBegin, R"("Attempting to bind pod to node" pod="ns/p" node=")" + std::string(node) + '"'});
    EXPECT_EQ(found.filter.verdict, Verdict::kPassed);
    EXPECT_EQ(found.node, "") << node;
    EXPECT_TRUE(found.nodes.empty()) << node;
  }
}

TEST(CutRecords, WhatIsLeftOfAReportOnRoomIsNoError) {
  const std::string cut(kCutOff);
  for (const char* left : {"0", "0/3 nodes are", "not elig", "waiting"})
    EXPECT_EQ(room_error_in("preemption: " + (left + cut)), "") << left;
  EXPECT_EQ(room_error_in("preemption: pods \"x\" is forb" + cut), "pods \"x\" is forb" + cut);
}

}  // namespace
}  // namespace flowtap::diagnosis
