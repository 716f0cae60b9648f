// No advice contradicts another of the same answer, whatever a scheduler has said.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";

bool any_todo(const std::vector<Advice>& all, std::string_view words) {
  return std::ranges::any_of(all, [words](const Advice& one) { return one.todo.contains(words); });
}

bool is_about_size(const Advice& advice) {
  return advice.means.starts_with("Even without other pods");
}

// Whether room on nodes would change nothing, by what kube-scheduler has found of each of them.
bool helps_nowhere(const Diagnosis& diagnosis) {
  const std::size_t tried = std::min(diagnosis.preemption.find(kPreemption), diagnosis.preemption.size());
  const std::string text =
      diagnosis.preemption.substr(std::min(tried + kPreemption.size(), diagnosis.preemption.size()));
  const auto error = parse_fit_error(text);
  return error && error->reasons.size() == 1 && error->reasons.front().reason == kNotHelpful;
}

void expect_agreement(const Diagnosis& diagnosis, const std::string& where) {
  const std::vector<Advice> all = advice_for(diagnosis);
  std::set<std::string_view> means;
  std::set<std::string> reasons;
  for (const Advice& one : all) {
    EXPECT_TRUE(means.insert(one.means).second) << where << ": twice: " << one.means;
    EXPECT_TRUE(reasons.insert(one.reason).second) << where << ": two answers to " << one.reason;
    EXPECT_FALSE(one.reason.ends_with('\n')) << where << one.reason;
    if (one.mends == Mends::kFit && helps_nowhere(diagnosis)) {
      EXPECT_TRUE(is_about_size(one)) << where << ": " << one.means;
      EXPECT_FALSE(one.todo.contains("wait for") || one.todo.contains("Wait")) << where << ": " << one.todo;
    }
  }
  // One node may lack several things, and then only one of them need be too large for it.
  const auto about_size = std::ranges::count_if(all, is_about_size);
  const bool shared = std::ranges::any_of(all, [](const Advice& one) {
    return is_about_size(one) && one.means.contains("at least one of these");
  });
  EXPECT_TRUE(!shared || about_size == 1) << where;
  const bool priority =
      any_todo(all, "priorityClassName") || any_todo(all, "priority class that may preempt");
  const bool no_priority =
      any_todo(all, "priority does not help") || any_todo(all, "nor a higher priority helps");
  EXPECT_FALSE(priority && no_priority) << where << ": a priority helps and does not";
  const FailedNodes failed = failed_nodes(diagnosis);
  for (const Advice& one : all)
    EXPECT_LE(one.nodes, std::max<std::size_t>(failed.nodes, 1)) << where << one.reason;
}

TEST(AdviceAgrees, InEveryGoldenLog) {
  namespace fs = std::filesystem;
  std::size_t checked = 0;
  for (const char* folder : {"scheduler", "diagnosis", "found"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(paths::golden() + '/' + folder)) {
      if (entry.path().extension() != ".log") continue;
      DiagnosisStore store(1000);
      test::read(store, test::golden(fs::relative(entry.path(), paths::golden()).string()));
      store.each([&](const std::string& pod, const Diagnosis& diagnosis) {
        ++checked;
        expect_agreement(diagnosis, entry.path().filename().string() + ' ' + pod);
      });
    }
  EXPECT_GT(checked, 50U);
}

std::vector<std::string> reasons() {
  std::vector<std::string> out;
  std::istringstream in(test::golden("diagnosis/reasons.txt"));
  // What follows is said of preemption, or of an attempt as a whole.
  for (std::string line; std::getline(in, line) && line != "# preemption";)
    if (!line.empty() && !line.starts_with('#')) out.push_back(line);
  return out;
}

Diagnosis no_fit(std::vector<NodesReason> reasons, std::string_view preemption) {
  Diagnosis out;
  out.filter = {.verdict = Verdict::kFailed, .summary = "0/4 nodes are available: x.", .line = {}};
  out.reasons = std::move(reasons);
  out.preemption = preemption;
  return out;
}

// Each two reasons, on the same nodes and on others, with each word on preemption.
TEST(AdviceAgrees, WhateverIsSaidTogether) {
  const std::vector<std::string_view> preemptions = {
      "",
      "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
      "preemption: 0/4 nodes are available: 4 No preemption victims found for incoming pod.",
      "preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption is "
      "not "
      "helpful for scheduling.",
      "preemption: 0/4 nodes are available: 2 Insufficient cpu, 2 Preemption is not helpful for scheduling.",
      "preemption: not eligible due to preemptionPolicy=Never.",
      "still not schedulable, preemption: 0/4 nodes are available: 4 Preemption is not helpful for "
      "scheduling."};
  // One for each thing that a reason is about, and a second one of a device.
  std::vector<std::string> all;
  std::set<std::string_view> seen;
  for (const std::string& reason : reasons()) {
    const auto advice = advice_for(reason);
    const bool fresh = advice && seen.insert(advice->means).second;
    if (fresh || reason == "Insufficient nvidia.com/mig-1g.5gb") all.push_back(reason);
  }
  for (const std::string& one : all)
    for (const std::string_view preemption : preemptions) {
      expect_agreement(no_fit({{one, 4}}, preemption), one);
      for (const std::string& other : all) {
        if (one >= other || (!other.starts_with("Insufficient ") && !one.starts_with("Insufficient ")))
          continue;
        expect_agreement(no_fit({{one, 4}, {other, 4}}, preemption), one + " and " + other);
        expect_agreement(no_fit({{one, 1}, {other, 3}}, preemption), one + ", " + other);
      }
    }
}

}  // namespace
}  // namespace flowtap::diagnosis
