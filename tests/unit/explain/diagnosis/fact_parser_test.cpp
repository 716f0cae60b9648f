// Records into facts: which pod they are about, and with which values.
#include "explain/diagnosis/facts/fact_parser.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace flowtap::diagnosis {
namespace {

// "ns/name" or "name", then each value that the fact has.
std::vector<std::string> facts_of(std::string_view body, std::string_view json = {}) {
  const std::string text =
      json.empty() ? "I0821 07:20:00.000001       1 a.go:1] " + std::string(body) : std::string(json);
  FactParser parser;
  std::vector<std::string> out;
  for (const Fact& fact : parser.parse(*flow::parse_klog_record(text))) {
    std::string one(fact.pod.ns);
    one.append(fact.pod.name.empty() ? "" : "/").append(fact.pod.name).append(fact.name);
    for (const std::string_view value : fact.values)
      if (!value.empty()) one.append(" | ").append(value);
    out.push_back(one);
  }
  return out;
}

using Facts = std::vector<std::string>;

TEST(FactParser, APodInAllItsShapes) {
  EXPECT_EQ(facts_of(R"("NodeFitPod" pod="ns/p" node="n1" score=1.5)"), Facts{"ns/p | n1 | 1.5"});
  EXPECT_EQ(facts_of(R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")"),
            Facts{"ns/p | u"});
  EXPECT_EQ(facts_of(R"("begin schedule filter" pod="p" uuid="u" namespaces="ns")"), Facts{"ns/p | u"});
  EXPECT_EQ(
      facts_of(
          R"("Event occurred" object="ns/p" kind="Pod" reason="FilteringSucceed" message="find \"it\"")"),
      Facts{"ns/p | find \"it\""});
  EXPECT_EQ(facts_of(R"("No available nodes meet the required scores" pod="p")"),
            Facts{"p | No available nodes meet the required scores"});
  EXPECT_EQ(facts_of("Start to count dcu devices for container c"), Facts{" | c"});
  EXPECT_EQ(
      facts_of(
          {},
          R"({"ts":1,"msg":"NodeFitPod","v":4,"pod":{"name":"p","namespace":"ns"},"node":{"name":"n1"},"score":2})"),
      Facts{"ns/p | n1 | 2"});
}

TEST(FactParser, WhatIsOfSomethingElseIsNoFact) {
  EXPECT_EQ(facts_of(R"("Event occurred" object="node1" kind="Node" reason="FilteringFailed" message="x")"),
            Facts{});
  EXPECT_EQ(facts_of(R"("Event occurred" object="ns/p" kind="Job" reason="FilteringFailed" message="x")"),
            Facts{});
  EXPECT_EQ(facts_of(R"("Event occurred" object="ns/p" kind="Pod" reason="Pulled" message="x")"), Facts{});
  EXPECT_EQ(facts_of(R"("NodeFitPod" pod="NS/P" node="n1" score=1)"), Facts{});
  EXPECT_EQ(facts_of(R"("NodeFitPod" pod="../p" node="n1" score=1)"), Facts{});
  EXPECT_EQ(facts_of(R"("No available nodes meet the required scores" pod="No Name")"), Facts{});
  EXPECT_EQ(facts_of("\"no such message\" pod=\"ns/p\""), Facts{});
  EXPECT_EQ(facts_of("NodeFitPod pod=\"ns/p\""), Facts{}) << "free text";
  EXPECT_EQ(facts_of("Start to count dcu devices"), Facts{});
}

// HAMi says it with a namespace, kube-scheduler without; and from it that the node fits, too.
TEST(FactParser, OneMessageOfTwoSchedulers) {
  const auto schedulers_of = [](std::string_view keys) {
    const std::string text =
        "I0821 07:20:00.000001       1 a.go:1] \"Attempting to bind pod to node\" node=\"n1\" " +
        std::string(keys);
    FactParser parser;
    std::vector<std::string_view> out;
    for (const Fact& fact : parser.parse(*flow::parse_klog_record(text))) out.push_back(fact.scheduler->name);
    return out;
  };
  EXPECT_EQ(schedulers_of(R"(pod="p" namespace="ns")"), (std::vector<std::string_view>{"HAMi"}));
  EXPECT_EQ(schedulers_of(R"(pod="ns/p")"), (std::vector<std::string_view>(2, "kube-scheduler")));
}

TEST(FactParser, OfATwofoldKeyTheLastCounts) {
  EXPECT_EQ(facts_of(R"("NodeUnfitPod" pod="ns/p" node="n1" reason="a" node="n2" reason="b")"),
            Facts{"ns/p | n2 | b"});
}

// Old klog's values may have a tenant's words within them.
TEST(FactParser, BehindAGuessNothingCounts) {
  EXPECT_EQ(facts_of(R"("NodeUnfitPod" pod="ns/p" node="n1" spec=&{a reason="forged")"), Facts{"ns/p | n1"});
  EXPECT_EQ(facts_of(R"("Resource requirements collected" pod="ns/p" requests=[{},{}] reason="x")"),
            Facts{"ns/p | [{},{}]"});
}

TEST(FactParser, AnErrorStandsBesideItsMessage) {
  EXPECT_EQ(facts_of(R"("Failed to lock node" err="node n has been locked" node="n" pod="ns/p")"),
            Facts{"ns/p | n | Failed to lock node | node n has been locked"});
}

TEST(FactParser, ANameThatIsTooLongIsNone) {
  const std::string name(kLongestName, 'n');
  EXPECT_EQ(facts_of("\"Attempting to bind pod to node\" pod=\"p\" namespace=\"ns\" node=\"" + name + '"'),
            Facts{"ns/p | " + name});
  EXPECT_EQ(facts_of("\"Attempting to bind pod to node\" pod=\"p\" namespace=\"ns\" node=\"n" + name + '"'),
            Facts{"ns/p"});
  EXPECT_EQ(facts_of("Start to count dcu devices for container n" + name), Facts{""});
}

// The beginning of a name may be the name of another.
TEST(FactParser, ANameThatWasCutIsNone) {
  EXPECT_EQ(facts_of("Skip schedule deleting pod: shop/web"), Facts{"shop/web"});
  EXPECT_EQ(facts_of("Start to count dcu devices for container main"), Facts{" | main"});
  for (const char* mark : {"\u2026", "...", ">", "\\", "[...]", "\u2026[truncated]"}) {
    const std::string cut = mark;
    EXPECT_EQ(facts_of("Skip schedule deleting pod: shop/web" + cut), Facts{}) << cut;
    EXPECT_EQ(facts_of("delete event for unscheduled pod shop/web" + cut), Facts{}) << cut;
    EXPECT_EQ(facts_of("Start to count dcu devices for container main" + cut), Facts{""}) << cut;
    EXPECT_EQ(facts_of(R"("NodeFitPod" pod="ns/p" score=1.5 node="n1)" + cut + '"'), Facts{"ns/p | 1.5"})
        << cut;
    EXPECT_EQ(facts_of(R"("NodeUnfitPod" pod="ns/p" reason="r" node="n1)" + cut), Facts{"ns/p | r"}) << cut;
  }
}

// An event's text has names at its end, too, and what is no name is told with the mark of a cut.
TEST(FactParser, TheEndOfATextThatWasCutIsNoName) {
  const auto said = [](std::string_view reason, std::string_view message) {
    return facts_of(R"("Event occurred" object="ns/p" kind="Pod" reason=")" + std::string(reason) +
                    R"(" message=")" + std::string(message));
  };
  EXPECT_EQ(said("Scheduled", R"(Successfully assigned ns/p to n1")"), (Facts{"ns/p | n1", "ns/p | n1"}));
  for (const char* cut : {"", "\u2026", "...\"", "[truncated]\""})
    EXPECT_EQ(said("Scheduled", "Successfully assigned ns/p to n1" + std::string(cut)),
              (Facts{"ns/p", "ns/p"}))
        << cut;
  EXPECT_EQ(said("FailedScheduling", "0/30 nodes are available: 12 Insuf"),
            Facts{"ns/p | 0/30 nodes are available: 12 Insuf\u2026"});
}

TEST(FactTable, EachRowCanBeReached) {
  std::set<std::tuple<int, std::string_view, std::string_view, std::string_view, std::string_view,
                      std::string_view, int>>
      seen;
  for (const FactRow& row : Schedulers::built_in().rows()) {
    EXPECT_FALSE(row.message.empty());
    EXPECT_TRUE(seen.insert({static_cast<int>(row.form), row.scheduler->name, row.message, row.with,
                             row.value, row.pattern, static_cast<int>(row.kind)})
                    .second)
        << row.message;
    EXPECT_FALSE(row.pattern.empty() && (row.form == FactRow::Form::kText || !row.apart.empty()))
        << row.message;
  }
  EXPECT_GT(seen.size(), 50U);
}

}  // namespace
}  // namespace flowtap::diagnosis
