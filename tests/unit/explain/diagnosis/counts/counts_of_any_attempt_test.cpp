// Whatever nodes a cluster has and in whatever order kube-scheduler tells of them at -v=5, nodes that are named and nodes that are
// only counted are all that there are, and each one that is named is named with the reason by which it is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/failed_nodes.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"

namespace flowtap::diagnosis {
namespace {

using Random = std::mt19937;

std::size_t pick(Random& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

/// Why a node fails: how it is counted, and what is said of it before that.
struct Cause {
  std::string_view counted;
  std::string_view said;                  // of the node, in the answer; empty: no line names the node
  std::array<std::string_view, 2> lines;  // up to where the node's name stands
  bool tried_for_room = false;
  std::string_view counted_too = {};  // it has a second reason
};

constexpr std::string_view kSpreads = "node(s) didn't match pod topology spread constraints";
constexpr std::string_view kSpreadLine =
    R"("Node failed spreadConstraint: matchNum + selfMatchNum - minMatchNum > maxSkew" pod="ns/p" node=")";
constexpr std::string_view kElsewhere = R"("AvailableOnNodes does not match" pod="ns/p" claim="ns/c" node=")";
constexpr std::string_view kClaims =
    R"("pod unschedulable" pod="ns/p" reason="cannot allocate all claims" node=")";
constexpr std::array kCauses = {
    Cause{.counted = "Insufficient cpu", .said = {}, .lines = {}, .tried_for_room = true},
    Cause{.counted = "node(s) had untolerated taint(s)",
          .said = "node had untolerated taints",
          .lines = {R"("node had untolerated taints" pod="ns/p" node=")", {}}},
    Cause{.counted = kSpreads, .said = kSpreads, .lines = {kSpreadLine, {}}, .tried_for_room = true},
    Cause{.counted = "node(s) didn't match pod topology spread constraints (missing required label)",
          .said = "node(s) didn't match pod topology spread constraints (missing required label)",
          .lines = {R"("Node doesn't have required label" pod="ns/p" label="zone" node=")", {}}},
    Cause{.counted = "node(s) had volume node affinity conflict",
          .said = "node(s) didn't match PersistentVolume's node affinity",
          .lines = {R"("PersistentVolume and node mismatch for pod" pod="ns/p" PV="pv-1" node=")", {}}},
    Cause{.counted = "cannot allocate all claims",
          .said = "cannot allocate all claims",
          .lines = {kClaims, {}}},
    Cause{.counted = "resourceclaim not available on the node",
          .said = "resourceclaim not available on the node",
          .lines = {kElsewhere, {}}},
    Cause{.counted = "cannot allocate all claims",
          .said = "cannot allocate all claims",
          .lines = {kElsewhere, kClaims}},
    Cause{.counted = "Insufficient cpu",
          .said = {},
          .lines = {},
          .tried_for_room = true,
          .counted_too = "Insufficient memory"},
    Cause{.counted = "node(s) had volume node affinity conflict",
          .said = "node(s) didn't match PersistentVolume's node affinity",
          .lines = {R"("PersistentVolume and node mismatch for pod" pod="ns/p" PV="pv-1" node=")",
                    R"("Node cannot satisfy provisioning topology requirements of claim" pod="ns/p" node=")"},
          .counted_too = "node(s) didn't find available persistent volumes to bind"},
};

std::string line_of(std::string_view body, std::size_t node) {
  return std::string(body).append("n").append(std::to_string(node)).append("\"");
}

/// What is said of preemption behind the reasons; it counts the same nodes once more.
std::string preemption_of(Random& random, std::size_t all) {
  if (pick(random, 2) == 0) return {};
  const std::size_t without = pick(random, all + 1);
  std::string out = " preemption: 0/" + std::to_string(all) + " nodes are available:";
  if (without > 0)
    out.append(" ").append(std::to_string(without)).append(" No preemption victims found for incoming pod");
  if (without > 0 && without < all) out += ',';
  if (without < all)
    out.append(" ").append(std::to_string(all - without)).append(" Preemption is not helpful for scheduling");
  return out + '.';
}

/// An attempt with this cause for each node: the lines about nodes, lines of nodes that are tried as if pods were gone, the verdict.
std::vector<std::string> attempt_of(Random& random, const std::vector<std::size_t>& causes) {
  std::vector<std::string> out{R"("Attempting to schedule pod" pod="ns/p")"};
  std::vector<std::size_t> order(causes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, random);
  std::map<std::string_view, std::size_t> counts;
  for (const std::size_t node : order) {
    const Cause& cause = kCauses.at(causes[node]);
    ++counts[cause.counted];
    if (!cause.counted_too.empty()) ++counts[cause.counted_too];
    for (const std::string_view body : cause.lines)
      if (!body.empty()) out.push_back(line_of(body, node));
  }
  std::ranges::shuffle(order, random);
  for (const std::size_t node : order)
    for (std::size_t times = kCauses.at(causes[node]).tried_for_room ? pick(random, 3) : 0; times > 0;
         --times)
      out.push_back(line_of(pick(random, 2) == 0 ? kSpreadLine : kClaims, node));
  std::string reasons;
  for (const auto& [reason, nodes] : counts)
    reasons.append(reasons.empty() ? "" : ", ").append(std::to_string(nodes)).append(" ").append(reason);
  out.push_back(R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/)" +
                std::to_string(causes.size()) + " nodes are available: " + reasons + '.' +
                preemption_of(random, causes.size()) + '"');
  return out;
}

std::vector<std::size_t> some_causes(Random& random) {
  std::vector<std::size_t> out(1 + pick(random, 7));
  for (std::size_t& cause : out) cause = pick(random, kCauses.size());
  return out;
}

TEST(CountsOfAnyAttempt, AddUpAndNameTheReasonThatCounts) {
  std::size_t named_in_all = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    std::string log;
    std::vector<std::size_t> causes;
    for (std::size_t attempts = 1 + pick(random, 3); attempts > 0; --attempts) {
      causes = some_causes(random);
      for (const std::string& body : attempt_of(random, causes)) log += test::log_of({body});
    }
    DiagnosisStore store;
    test::read(store, log);
    const Diagnosis found = store.find("ns", "p").value_or(Diagnosis{});
    const std::size_t all = causes.size();
    const FailedNodes failed = failed_nodes(found);
    std::size_t named = 0;
    for (const NodeVerdict& node : found.nodes) {
      if (node.verdict != Verdict::kFailed) continue;
      ++named;
      const std::size_t number = std::stoul(node.name.substr(1));
      ASSERT_LT(number, all) << "seed " << seed;
      const Cause& cause = kCauses.at(causes[number]);
      EXPECT_TRUE(!cause.said.empty() && node.reason.starts_with(cause.said))
          << "seed " << seed << ": " << node.name << " is counted as " << cause.counted << ", not as "
          << node.reason << '\n'
          << log;
    }
    named_in_all += named;
    EXPECT_EQ(named, std::ranges::count_if(causes,
                                           [](std::size_t cause) { return !kCauses.at(cause).said.empty(); }))
        << "seed " << seed << '\n'
        << log;
    EXPECT_EQ(failed.nodes, all) << "seed " << seed;
    EXPECT_EQ(named + failed.others, all) << "seed " << seed;
    std::size_t sum = 0;
    for (const NodesReason& one : failed.by_reason) sum += one.nodes;
    const auto twice = std::ranges::count_if(
        causes, [](std::size_t cause) { return !kCauses.at(cause).counted_too.empty(); });
    EXPECT_GE(sum, all) << "seed " << seed << '\n' << log;
    EXPECT_LE(sum, all + static_cast<std::size_t>(twice)) << "seed " << seed << '\n' << log;
    if (testing::Test::HasFailure()) return;  // one attempt is enough to look at
  }
  EXPECT_GT(named_in_all, 2000U);
}

}  // namespace
}  // namespace flowtap::diagnosis
