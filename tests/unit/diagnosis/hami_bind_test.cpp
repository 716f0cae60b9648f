// HAMi's binds: they run beside other pods' filters, and not each of their records names its pod.
#include <gtest/gtest.h>

#include <string>

#include "kit.hpp"

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

// As evidence, since the answer proper has no place for it.
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
  EXPECT_NE(answer_of({kBinding, "After Binding Process"}, "ns/p", true).find(R"("node":"n1"}})"),
            std::string::npos);
}

// Binds run beside other pods' filters; a line that could be of two is of none.
TEST(HamiBind, BindsSideBySide) {
  constexpr std::string_view kOther = R"("Attempting to bind pod to node" pod="q" namespace="ns" node="n2")";
  constexpr std::string_view kFailed = R"("Failed to lock node" err="x" node="n1" device={})";
  EXPECT_EQ(answer_of({kBinding, kOther, kFailed}), failed_bind("Failed to lock node, x"));
  for (const char* pod : {"ns/p", "ns/q"})
    EXPECT_EQ(answer_of({kBinding, kOther, "After Binding Process"}, pod), body("pending", "passed", "", ""))
        << pod;
  EXPECT_EQ(answer_of({kBinding, "After Binding Process"}),
            body("succeeded", "passed", "", "", R"({"status":"passed","summary":"bind success"})"));
}

}  // namespace
}  // namespace flowtap::diagnosis
