// A pod's event as a scheduler's log would have it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explain/diagnosis/facts/fact_parser.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tests/unit/flowtap/events/kube_events_kit.hpp"
#include "tools/flowtap/saved/kube_events.hpp"

namespace flowtap::cli {
namespace {

// The record's keys and values, as the program had them.
std::vector<std::string> pairs_of(const std::string& text) {
  const auto record = flow::parse_klog_record(text);
  if (!record || !record->structured || record->message != "Event occurred") return {"no record: " + text};
  std::vector<std::string> out;
  flow::KlogPairs pairs(*record);
  for (flow::KlogPair pair; pairs.next(pair);)
    out.push_back(std::string(pair.key) + '=' + flow::klog_value(pair));
  return out;
}

TEST(KlogOfAnEvent, HasItsValues) {
  KubeEvent event = failed();
  EXPECT_EQ(klog_of({.ns = "n", .pod = "p", .type = "Normal", .reason = "R", .message = R"(a "b" \)"}),
            R"(I0101 00:00:00.000000       1 event.go:1] "Event occurred" object="n/p" kind="Pod" )"
            R"(apiVersion="v1" type="Normal" reason="R" message="a \"b\" \\")");
  for (const std::string& message :
       {kNoFit, std::string("\\\" pod=\"a/b\" \\x41 \\"), std::string("a\n\tb\r\x1b[2J\x7f\0", 11),
        std::string("\u00e4 \u2028 \U0001f600 \xff\xc0"), std::string()}) {
    event.message = message;
    EXPECT_EQ(pairs_of(klog_of(event)),
              (std::vector<std::string>{"object=shop/web-0", "kind=Pod", "apiVersion=v1", "type=Warning",
                                        "reason=FailedScheduling", "message=" + message}));
  }
}

// "kind ns/pod | node | summary", one a fact. All are kube-scheduler's.
std::vector<std::string> facts_of(const KubeEvent& event) {
  using diagnosis::FactKind;
  using diagnosis::Field;
  const std::string text = klog_of(event);
  diagnosis::FactParser parser;
  std::vector<std::string> out;
  for (const diagnosis::Fact& fact : parser.parse(*flow::parse_klog_record(text))) {
    std::string one = fact.kind == FactKind::kPhaseFailed  ? "failed "
                      : fact.kind == FactKind::kBindFailed ? "bind failed "
                      : fact.kind == FactKind::kNodeFits   ? "fits "
                      : fact.kind == FactKind::kBound      ? "bound "
                                                           : "? ";
    if (fact.scheduler->name != "kube-scheduler") one.append(fact.scheduler->name).append(1, ' ');
    fact.pod.put(one);
    one.append(" | ").append(fact[Field::kNode]).append(" | ").append(fact[Field::kSummary]);
    out.push_back(one);
  }
  return out;
}

using Facts = std::vector<std::string>;

TEST(KlogOfAnEvent, IsAFactOfKubeScheduler) {
  EXPECT_EQ(facts_of(failed()), Facts{"failed shop/web-0 |  | " + kNoFit});
  EXPECT_EQ(facts_of(kBound), (Facts{"fits shop/web-0 | node-1 | ", "bound shop/web-0 | node-1 | "}));
  KubeEvent event = kBound;
  event.message = "bound to node-1";
  EXPECT_EQ(facts_of(event), Facts{}) << "words that are not known";
}

// As in the scheduler's log, the text tells that the pod had its node.
TEST(KlogOfAnEvent, OfABindThatFailsIsTheBinds) {
  KubeEvent event = failed();
  event.message = "binding rejected: node is locked";
  EXPECT_EQ(facts_of(event), Facts{"bind failed shop/web-0 |  | node is locked"});
  for (const char* message :
       {R"(running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded)",
        R"(running Bind plugin "V": x)", R"(running Reserve plugin "V": x)",
        R"(running Permit plugin "V": x)", "waiting on permit for pod: x"}) {
    event.message = message;
    EXPECT_EQ(facts_of(event), Facts{std::string("bind failed shop/web-0 |  | ") + message});
  }
}

TEST(KlogOfAnEvent, OfHamisStaysHamis) {
  KubeEvent event = failed();
  event.reason = "BindingFailed";
  EXPECT_EQ(facts_of(event), Facts{"bind failed HAMi shop/web-0 |  | " + kNoFit});
  event.reason = "BindingSucceed";
  EXPECT_EQ(facts_of(event), Facts{"bound HAMi shop/web-0 |  | "});
}

}  // namespace
}  // namespace flowtap::cli
