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
  EXPECT_TRUE(node.ledger.take_ended().containers.empty()) << "more may be known of its name soon";
  node.kernel.remove(10);
  node.round();
  const auto ended = node.ledger.take_ended().containers;
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.at(0).of.name.container, "/a");
  EXPECT_EQ(ended.at(0).end.status, 42 << 8);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().containers.empty());
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
  EXPECT_EQ(node.ledger.take_ended().containers.size(), 1U);
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
  EXPECT_TRUE(node.ledger.take_ended().containers.empty()) << "no container";
}

TEST(UsageLedger, WhereOthersGoOnNothingHasEnded) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.names.at_rest = {"/a"};
  node.kernel.end(10, 9);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().containers.empty());
  node.names.at_rest = {};
  node.round();
  EXPECT_EQ(node.ledger.take_ended().containers.size(), 1U) << "now it has";
}

// `more` is what a case is about.
stats::ProcessEnd process(int status, stats::ProcessEnd more = {}) {
  more.status = status;
  return more;
}

TEST(UsageLedger, AKillForWantOfMemoryIsToldWithItsContainerWhileThatGoesOn) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.end_process(10, process(9, {.oom = true, .name = "hog"}));
  node.kernel.end_process(10, process(9, {.oom = true, .name = "hog2", .outer_parent = true}));
  node.kernel.end_process(10, process(9, {.name = "by somebody", .outer_parent = true}));
  node.names.complete = false;
  (void)node.ledger.take_turns(node.kernel, node.names, node.now);
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().oom_kills.empty()) << "more may be known of its name soon";
  node.names.complete = true;
  node.round();
  const auto ended = node.ledger.take_ended();
  EXPECT_TRUE(ended.containers.empty() && ended.services.empty());
  ASSERT_EQ(ended.oom_kills.size(), 1U);
  EXPECT_EQ(ended.oom_kills.at(0).of.name.container, "/a");
  EXPECT_EQ(ended.oom_kills.at(0).of.id, "id of /a");
  EXPECT_EQ(ended.oom_kills.at(0).of.flow, "flow of /a");
  EXPECT_EQ(ended.oom_kills.at(0).count, 2U);
  EXPECT_EQ(ended.oom_kills.at(0).last.name, "hog2");
  node.round();
  EXPECT_TRUE(node.ledger.take_ended().oom_kills.empty()) << "each once";
}

TEST(UsageLedger, AServiceEndsByTheFirstOfItsOwnProcessesThatEndedBadly) {
  LedgerNode node;
  const std::string service = "/system.slice/a.service";
  node.names.tops = {{service + "/inner", service}};
  node.kernel.make(10, service);
  node.kernel.make(11, service + "/inner");
  node.kernel.use(10, 5);
  const auto turn = [&] { (void)node.ledger.take_turns(node.kernel, node.names, node.now); };
  const stats::ProcessEnd kOwn{.time = node.now, .outer_parent = true};
  node.kernel.end_process(11, process(1 << 8, kOwn));  // some manager in it waits for this one
  node.kernel.end_process(10, process(9, {.oom = true, .name = "worker"}));
  node.kernel.end_process(10, process(15, kOwn));  // somebody has stopped it
  node.kernel.end_process(10, process(42 << 8, {.time = node.now, .name = "main", .outer_parent = true}));
  node.kernel.end_process(10, process(9, kOwn));
  turn();
  EXPECT_TRUE(node.ledger.take_ended().services.empty()) << "others go on";
  node.kernel.leave(11);
  node.kernel.leave(10);
  turn();
  node.round();
  auto ended = node.ledger.take_ended();
  ASSERT_EQ(ended.services.size(), 1U);
  EXPECT_EQ(ended.services.at(0).of.name.workload, "a.service");
  EXPECT_EQ(ended.services.at(0).of.flow, "flow of " + service);
  EXPECT_EQ(ended.services.at(0).end.value().status, 42 << 8);
  EXPECT_EQ(ended.services.at(0).end.value().name, "main");
  ASSERT_EQ(ended.oom_kills.size(), 1U);
  EXPECT_EQ(ended.oom_kills.at(0).last.name, "worker");
  // The next run is another one.
  node.kernel.leave(10);
  turn();
  ended = node.ledger.take_ended();
  ASSERT_EQ(ended.services.size(), 1U);
  EXPECT_FALSE(ended.services.at(0).end);
  EXPECT_TRUE(ended.containers.empty());
}

TEST(UsageLedger, AServiceIsNotOverByAProcessThatEndedBadlyLongBefore) {
  LedgerNode node;
  node.kernel.make(10, "/a.service");
  node.kernel.use(10, 5);
  const auto ends = [&](int status) {
    node.kernel.end_process(10, process(status, {.time = node.now, .outer_parent = true}));
    (void)node.ledger.take_turns(node.kernel, node.names, node.now);
  };
  const auto over = [&] {
    node.kernel.leave(10);
    (void)node.ledger.take_turns(node.kernel, node.names, node.now);
    return node.ledger.take_ended().services.at(0).end;
  };
  ends(1 << 8);  // a reload that failed
  node.now += UsageLedger::kOverBy + 1s;
  EXPECT_FALSE(over()) << "somebody has stopped it";
  ends(1 << 8);
  node.now += UsageLedger::kOverBy;
  ends(2 << 8);
  node.now += 1s;
  EXPECT_EQ(over().value().status, 2 << 8) << "what failed last has ended it";
  // However many fail, the next one is remembered.
  for (std::size_t i = 0; i < UsageLedger::kMostFailed; ++i) ends(1 << 8);
  node.now += UsageLedger::kOverBy + 1s;
  ends(3 << 8);
  EXPECT_EQ(over().value().status, 3 << 8);
}

class ServiceThatEndsWell : public testing::Test {
 protected:
  void make(std::uint64_t id) {
    node_.kernel.make(id, "/a.service");
    node_.kernel.use(id, 5);
    turn();
  }
  void turn() { (void)node_.ledger.take_turns(node_.kernel, node_.names, node_.now += 1s); }
  void process_ends(std::uint64_t id, int status) {
    node_.kernel.end_process(id, process(status, {.time = node_.now, .name = "main", .outer_parent = true}));
  }
  EndedService over(std::uint64_t id) {
    node_.kernel.leave(id);
    turn();
    auto all = node_.ledger.take_ended().services;
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? EndedService{} : std::move(all.front());
  }

  LedgerNode node_;
};

TEST_F(ServiceThatEndsWell, IsToldByTheLastOfItsOwnProcesses) {
  turn();
  make(10);
  process_ends(10, 15);  // the way in which most services are stopped
  process_ends(10, 0);
  const EndedService ended = over(10);
  ASSERT_TRUE(ended.end);
  EXPECT_EQ(ended.end->status, 0);
  EXPECT_EQ(ended.end->name, "main");
  EXPECT_TRUE(ended.success);
  process_ends(10, 3 << 8);
  process_ends(10, 0);
  const EndedService failed = over(10);
  EXPECT_EQ(failed.end.value().status, 3 << 8);
  EXPECT_FALSE(failed.success);
  process_ends(10, 15);
  const EndedService stopped = over(10);
  EXPECT_EQ(stopped.end.value().status, 15);
  EXPECT_TRUE(stopped.success);
}

TEST_F(ServiceThatEndsWell, IsNotToldWhereABadEndMayHaveGoneUnseen) {
  make(10);  // it was there before the first look
  process_ends(10, 0);
  EXPECT_FALSE(over(10).end);
  node_.now += UsageLedger::kOverBy;
  process_ends(10, 0);
  EXPECT_TRUE(over(10).end) << "what failed before that has not ended it";
  make(11);
  node_.kernel.room = 0;
  process_ends(11, 3 << 8);
  turn();
  node_.kernel.room = 1000;
  process_ends(11, 15);
  EXPECT_FALSE(over(11).end) << "systemd has ended what was left after the failure";
  make(12);
  process_ends(12, 0);
  EXPECT_TRUE(over(12).end) << "all of this run was seen";
}

TEST(UsageLedger, WhatEndsAServiceForWantOfMemoryIsNotToldTwice) {
  LedgerNode node;
  node.kernel.make(10, "/a.service");
  node.kernel.use(10, 5);
  node.kernel.end_process(10, process(9, {.oom = true, .time = node.now, .outer_parent = true}));
  node.kernel.leave(10);
  node.round();
  (void)node.ledger.take_turns(node.kernel, node.names, node.now);
  const auto ended = node.ledger.take_ended();
  ASSERT_EQ(ended.services.size(), 1U);
  EXPECT_TRUE(ended.services.at(0).end.value().oom);
  EXPECT_TRUE(ended.oom_kills.empty());
}

}  // namespace
}  // namespace flowtap::telemetry
