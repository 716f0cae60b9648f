// What the ledger reports at once: which container begins and ends, and whose last process has gone.
#include <gtest/gtest.h>

#include "tests/unit/telemetry/workloads/ledger_node.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

TEST(UsageLedger, TellsOfAnEndOnceAndWhenItIsKnownWhose) {
  LedgerNode node;
  node.names.complete = false;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.end(10, 42 << 8);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().empty()) << "more may be known of its name soon";
  node.kernel.remove(10);
  node.round();
  const auto ended = node.ledger.take_ended();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.at(0).name.container, "/a");
  EXPECT_EQ(ended.at(0).end.status, 42 << 8);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().empty());
}

TEST(UsageLedger, TellsAtOnceWhoseContainerEnds) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  EXPECT_TRUE(node.ledger.take_turns(node.kernel, node.names, node.now).ended.empty()) << "it goes on";
  node.kernel.end(10, 0);
  const auto endings = node.ledger.take_turns(node.kernel, node.names, node.now).ended;
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_EQ(endings.at(0).name.container, "/a");
  EXPECT_EQ(endings.at(0).top, "/a");
  // What was taken outside the rounds is not lost to a caller that asks each second.
  node.kernel.remove(10);
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.ledger.take_ended().size(), 1U);
  // If only a part of its name is known, the rest may be another's.
  node.names.complete = false;
  node.kernel.make(11, "/b");
  node.kernel.end(11, 0);
  EXPECT_TRUE(node.ledger.take_turns(node.kernel, node.names, node.now).ended.empty());
}

TEST(UsageLedger, TellsAtOnceWhichContainerBeginsThoughItsNameComesLate) {
  LedgerNode node;
  node.names.complete = false;
  node.kernel.make(10, "/a");
  node.kernel.begin(10, 42);
  const auto turns = node.ledger.take_turns(node.kernel, node.names, node.now);
  ASSERT_EQ(turns.began.size(), 1U);
  EXPECT_EQ(turns.began.at(0).top, "/a");
  EXPECT_EQ(turns.began.at(0).pid, 42U);
  EXPECT_TRUE(turns.ended.empty());
}

TEST(UsageLedger, WhatARoundHasFoundAtItsEndIsToldAfterIt) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.end(10, 0);
  node.round();
  const auto turns = [&] { return node.ledger.take_turns(node.kernel, node.names, node.now); };
  EXPECT_EQ(turns().ended.size(), 1U);
  EXPECT_TRUE(turns().ended.empty());
  // A cgroup whose workload is forgotten by then.
  node.kernel.make(11, "/b");
  node.kernel.leave(11);
  node.kernel.remove(11);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_TRUE(turns().ended.empty());
}

TEST(UsageLedger, TellsAtOnceWhoseLastProcessHasEnded) {
  LedgerNode node;
  node.names.tops = {{"/a.slice", ""}, {"/a.slice/a.service/b", "/a.slice/a.service"}};
  node.kernel.make(10, "/a.slice");
  node.kernel.make(11, "/a.slice/a.service");
  node.kernel.make(12, "/a.slice/a.service/b");
  node.kernel.use(12, 5);
  const auto endings = [&] { return node.ledger.take_turns(node.kernel, node.names, node.now).ended; };
  node.kernel.leave(12);
  EXPECT_TRUE(endings().empty()) << "others may go on";
  for (int i = 0; i < 2; ++i)
    for (const std::uint64_t id : {12U, 11U, 10U}) node.kernel.leave(id);
  const auto all = endings();
  ASSERT_EQ(all.size(), 1U) << "each once, and the slice is nobody's";
  EXPECT_EQ(all.at(0).top, "/a.slice/a.service");
  const int asked = node.names.asked;
  node.kernel.leave(10);
  EXPECT_TRUE(endings().empty());
  EXPECT_EQ(node.names.asked, asked) << "known for good";
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().empty()) << "no container";
}

TEST(UsageLedger, WhereOthersGoOnNothingHasEnded) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.names.at_rest = {"/a"};
  node.kernel.end(10, 9);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().empty());
  node.names.at_rest = {};
  node.round();
  EXPECT_EQ(node.ledger.take_ended().size(), 1U) << "now it has";
}

}  // namespace
}  // namespace flowtap::telemetry
