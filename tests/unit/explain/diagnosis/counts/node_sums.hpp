// Whether the nodes that answers name, and those that they only count, are all the nodes that there are.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis_store.hpp"
#include "explain/diagnosis/failed_nodes.hpp"

namespace flowtap::diagnosis::test {

inline std::size_t sum_of(const std::vector<NodesReason>& reasons) {
  std::size_t sum = 0;
  for (const NodesReason& one : reasons) sum += one.nodes;
  return sum;
}

inline std::size_t number_behind(std::string_view text, std::string_view begin) {
  std::size_t number = 0;
  if (const std::size_t at = text.find(begin); at != std::string_view::npos)
    std::from_chars(text.data() + at + begin.size(), text.data() + text.size(), number);
  return number;
}

/// Checks one answer in which kube-scheduler says how many nodes there are.
inline void expect_sums(const Diagnosis& diagnosis, std::size_t all, const std::string& where) {
  std::size_t named = 0;
  for (const NodeVerdict& node : diagnosis.nodes) named += node.verdict == Verdict::kFailed ? 1 : 0;
  const FailedNodes failed = failed_nodes(diagnosis);
  EXPECT_EQ(failed.nodes, all) << where;
  EXPECT_EQ(named + failed.others, all) << where;
  for (const NodesReason& one : failed.unnamed) EXPECT_LE(one.nodes, failed.others) << where << one.reason;
  for (const NodesReason& one : failed.by_reason) EXPECT_LE(one.nodes, all) << where << one.reason;
  EXPECT_GE(sum_of(failed.by_reason), all) << where;
  // If no node has several reasons, each is counted once.
  if (sum_of(diagnosis.reasons) == all) {
    EXPECT_EQ(named + sum_of(failed.unnamed), all) << where;
    EXPECT_EQ(sum_of(failed.by_reason), all) << where;
  }
  for (const std::string& lacks : diagnosis.lacks)
    EXPECT_LE(number_behind(lacks, " ("), all) << where << lacks;
}

/// The same for each pod of a log whose answer says so. How many there are.
inline std::size_t expect_sums(const DiagnosisStore& store, const std::string& log) {
  std::size_t checked = 0;
  store.each([&](const std::string& pod, const Diagnosis& diagnosis) {
    const std::size_t all = number_behind(diagnosis.filter.summary, "0/");
    if (diagnosis.filter.verdict != Verdict::kFailed || all == 0 || diagnosis.reasons.empty()) return;
    ++checked;
    expect_sums(diagnosis, all, std::string(log).append(" ").append(pod).append(": "));
  });
  return checked;
}

}  // namespace flowtap::diagnosis::test
