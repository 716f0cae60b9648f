// Each message of kube-scheduler's that names a pod is a fact, or nothing on purpose.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/facts/fact_parser.hpp"
#include "tests/support/golden.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::array<std::string_view, 49> kKinds = {
    "Attempt",      "HeldBack",    "Added",        "Dequeued",   "HasNode",   "Deleted",   "Gone",
    "Gated",        "Preempted",   "Displaced",    "Container",  "Requests",  "Cards",     "CardsThere",
    "Tries",        "Allocated",   "CardFails",    "NodeReason", "NodeFits",  "NodeFails", "NodeUnknown",
    "NodesFit",     "NodesFail",   "Aligns",       "AlignFails", "NodeLacks", "CellFits",  "CellFails",
    "CellsSpared",  "DryRun",      "Nominates",    "Victim",     "Displaces", "RoomFails", "Skips",
    "SkipsForRoom", "SkipsAtBind", "Rejects",      "Note",       "Released",  "Waits",     "FilterPassed",
    "FilterFailed", "Binding",     "BindingToEnd", "BindEnds",   "Bound",     "Assigned",  "BindFailed"};
constexpr std::string_view kLastKind = "PhaseFailed";
static_assert(kKinds.size() == static_cast<std::size_t>(FactKind::kPhaseFailed));

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, between);) out.push_back(part);
  return out;
}

std::string value_of(const std::string& key) {
  if (key == "pod" || key == "preemptor") return "ns/p";
  if (key == "victim" || key == "waitingPod" || key == "podInPreBind") return "ns/v";
  if (key == "preemptorType") return "pod";
  if (key == "podGroup") return "ns/g";
  return key.contains("ode") ? "n1" : "x";
}

// The kinds of the facts, "-" for none. Each is about the pod.
std::string facts_of(const std::string& message, const std::string& keys) {
  std::string text = R"(I0821 07:20:00.000001       1 a.go:1] ")" + message + '"';
  for (const std::string& key : parts_of(keys, ','))
    text.append(" ").append(key).append("=\"").append(value_of(key)) += '"';
  FactParser parser;
  std::string out;
  for (const Fact& fact : parser.parse(*flow::parse_klog_record(text))) {
    EXPECT_EQ(fact.pod.name, "p") << text;
    const auto kind = static_cast<std::size_t>(fact.kind);
    out.append(out.empty() ? "" : ",").append(kind < kKinds.size() ? kKinds.at(kind) : kLastKind);
  }
  return out.empty() ? "-" : out;
}

TEST(KubeSchedulerMessages, AreFactsOrNothingOnPurpose) {
  std::size_t told = 0;
  std::istringstream in(test::golden("diagnosis/kube_scheduler_messages.tsv"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const auto columns = parts_of(line, '\t');
    ASSERT_EQ(columns.size(), 4U) << line;
    EXPECT_EQ(facts_of(columns[1], columns[2]), columns[3]) << columns[1];
    told += columns[3] != "-" ? 1 : 0;
  }
  EXPECT_GT(told, 30U);
}

}  // namespace
}  // namespace flowtap::diagnosis
