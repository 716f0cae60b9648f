// A service whose own rule calls an end a success has not failed by it.
#include <gtest/gtest.h>

#include "tests/unit/telemetry/workloads/ledger_node.hpp"

namespace flowtap::telemetry {
namespace {

TEST(UsageLedger, AServiceHasNotFailedByAnEndThatItsOwnRuleCallsASuccess) {
  LedgerNode node;
  node.names.successes = {{"a.service", 3 << 8}, {"a.service", 9}};
  node.kernel.make(10, "/a.service");
  node.kernel.make(11, "/b.service");
  node.kernel.use(10, 5);
  node.kernel.use(11, 5);
  const auto end_of = [&](std::uint64_t id, std::initializer_list<int> statuses, bool oom = false) {
    for (const int status : statuses) {
      stats::ProcessEnd end{.status = status, .oom = oom, .time = node.now, .outer_parent = true};
      node.kernel.end_process(id, end);
    }
    node.kernel.leave(id);
    (void)node.ledger.take_turns(node.kernel, node.names, node.now);
    const auto ended = node.ledger.take_ended().services;
    EXPECT_EQ(ended.size(), 1U);
    return ended.front();
  };
  (void)node.ledger.take_turns(node.kernel, node.names, node.now);
  node.now += 2 * UsageLedger::kOverBy;
  const EndedService good = end_of(10, {0, 3 << 8});
  EXPECT_EQ(good.end.value().status, 3 << 8) << "the last one";
  EXPECT_TRUE(good.success);
  const EndedService other = end_of(11, {3 << 8});
  EXPECT_EQ(other.end.value().status, 3 << 8);
  EXPECT_FALSE(other.success) << "another unit";
  EXPECT_EQ(end_of(10, {4 << 8}).end.value().status, 4 << 8);
  EXPECT_EQ(end_of(10, {3 << 8, 5 << 8}).end.value().status, 5 << 8) << "the first one that is none";
  EXPECT_TRUE(end_of(10, {9}).success);
  EXPECT_FALSE(end_of(10, {9}, true).success) << "no rule makes a success of that";
}

}  // namespace
}  // namespace flowtap::telemetry
