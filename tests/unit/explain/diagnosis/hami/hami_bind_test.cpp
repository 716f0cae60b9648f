// HAMi's binds. They run beside other pods' filters, and not every one of their records names its pod.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::answer_of;
using test::body;

constexpr std::string_view kBinding = R"("Attempting to bind pod to node" pod="p" namespace="ns" node="n1")";

std::string failed_bind(std::string_view summary) {
  return body("failed", "passed", "", "", R"({"status":"failed","summary":")" + std::string(summary) + "\"}");
}

TEST(HamiBind, ABindThatFails) {
  constexpr std::string_view kError = "err=\"node n1 has been locked within 5m0s: node lock contention\"";
  const std::string event =
      R"("Event occurred" object="ns/p" kind="Pod" reason="BindingFailed" message="node n1 has been locked")";
  const std::string expected =
      failed_bind("Failed to lock node, node n1 has been locked within 5m0s: node lock contention");
  EXPECT_EQ(
      answer_of(
          {kBinding, "\"Failed to lock node\" " + std::string(kError) + " node=\"n1\" pod=\"ns/p\"", event}),
      expected);
  EXPECT_EQ(answer_of({kBinding, "\"Failed to lock node\" " + std::string(kError) + " node=\"n1\" device={}",
                       event}),
            expected)
      << "up to 2.9 without the pod";
  EXPECT_EQ(answer_of({kBinding, event}), failed_bind("node n1 has been locked"));
  EXPECT_EQ(answer_of({kBinding, R"("Failed to bind pod" err="timeout" pod="p" namespace="ns" node="n1")"}),
            failed_bind("Failed to bind pod, timeout"));
}

// The node is evidence, since the answer proper has no place for it.
TEST(HamiBind, ItsNodeIsKnown) {
  const auto node = [](std::initializer_list<std::string_view> bodies) {
    DiagnosisStore store;
    test::read(store, test::log_of(bodies));
    return store.find("ns", "p").value_or(Diagnosis{}).node;
  };
  EXPECT_EQ(node({kBinding}), "n1");
  EXPECT_EQ(node({kBinding, R"("Failed to bind pod" err="timeout" pod="p" namespace="ns" node="n1")"}), "n1");
  EXPECT_EQ(node({kBinding, R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")"}), "")
      << "of an attempt before";
  EXPECT_EQ(
      node({R"("Successfully bound pod to node" pod="ns/p" node="n2" evaluatedNodes=6 feasibleNodes=3)"}),
      "n2")
      << "kube-scheduler's";
  EXPECT_NE(answer_of({R"("Bind" pod="p" namespace="ns" node="n1")", "After Binding Process"}, "ns/p", true)
                .find(R"("node":"n1"}})"),
            std::string::npos);
}

// Binds run beside other pods' filters. A line that could be about two pods belongs to neither.
TEST(HamiBind, BindsSideBySide) {
  constexpr std::string_view kOther = R"("Attempting to bind pod to node" pod="q" namespace="ns" node="n2")";
  constexpr std::string_view kFailed = R"("Failed to lock node" err="x" node="n1" device={})";
  EXPECT_EQ(answer_of({kBinding, kOther, kFailed}), failed_bind("Failed to lock node, x"));
}

// HAMi 2.3, of April 2024, says when a bind is done, but not of which pod; it says earlier whether the bind failed.
TEST(HamiBind, TheEndOfABindIsNoSuccess) {
  constexpr std::string_view kBind = R"("Bind" pod="p" namespace="ns" podUID="u" node="n1")";
  constexpr std::string_view kOther = R"("Bind" pod="q" namespace="ns" podUID="v" node="n2")";
  constexpr std::string_view kFailed =
      R"("Failed to bind pod" err="x" pod="p" namespace="ns" podUID="u" node="n1")";
  constexpr std::string_view kNotLocked = R"("Failed to lock node" err="x" node="n1")";
  constexpr std::string_view kEnd = "After Binding Process";
  const std::string open = body("pending", "passed", "", "");
  const std::string bound =
      body("succeeded", "passed", "", "", R"({"status":"passed","summary":"bind success"})");
  const std::string failed = failed_bind("Failed to bind pod, x");
  EXPECT_EQ(answer_of({kBind, kEnd}), bound);
  EXPECT_EQ(answer_of({kBind, kNotLocked, kEnd}), bound) << "it binds without the lock";
  EXPECT_EQ(answer_of({kBind, kFailed, kEnd}), failed);
  for (const char* pod : {"ns/p", "ns/q"}) {
    EXPECT_EQ(answer_of({kBind, kOther, kEnd}, pod), open) << pod;
    EXPECT_EQ(answer_of({kBind, kOther, kEnd, kEnd}, pod), bound) << pod;
  }
  EXPECT_EQ(answer_of({kBind, kOther, kFailed, kEnd}, "ns/q"), open) << "the end of the one that failed";
  EXPECT_EQ(answer_of({kBind, kOther, kFailed, kEnd, kEnd}, "ns/q"), bound);
  EXPECT_EQ(answer_of({kBind, kOther, kFailed, kEnd, kEnd}, "ns/p"), failed);
}

}  // namespace
}  // namespace flowtap::diagnosis
