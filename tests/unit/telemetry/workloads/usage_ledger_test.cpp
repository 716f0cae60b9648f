// The ledger against a kernel of the test's own: what was used counts for somebody, and only once.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/unit/telemetry/workloads/ledger_node.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

TEST(UsageLedger, WhoSleepsSinceBeforeIsThereToo) {
  LedgerNode node;
  node.kernel.make(10, "/asleep");
  node.kernel.make(11, "/empty");
  (void)node.kernel.take_events([](const stats::CgroupEvent&) {});  // they were made before anybody looked
  node.names.at_rest = {"/asleep"};
  node.round();
  ASSERT_EQ(node.ledger.workloads().size(), 1U);
  EXPECT_EQ(node.ledger.workloads().begin()->first.container, "/asleep");
  EXPECT_EQ(node.ledger.workloads().begin()->second.tops, std::set<std::string>{"/asleep"});
  EXPECT_EQ(node.ledger.workloads().begin()->second.instances,
            (std::map<std::string, stats::Labels>{{"/asleep",
                                                   {"container", "", "", "/asleep", "", "id of /asleep",
                                                    "image", "/asleep", "uid", "runtime"}}}));
  EXPECT_EQ(node.of("/asleep"), stats::GroupUsage{});
  node.kernel.use(10, 5);
  node.round();
  EXPECT_EQ(node.of("/asleep").run_ns, 5U);
}

TEST(UsageLedger, WhoSleptWentAndIsBackWhenItWasForgottenIsCounted) {
  LedgerNode node;
  node.kernel.make(2, "/asleep");
  node.names.at_rest = {"/asleep"};
  node.round();
  ASSERT_EQ(node.ledger.workloads().size(), 1U);
  // A new look finds that nobody is in it.
  node.names.at_rest = {};
  node.kernel.room = 0;
  node.kernel.make(3, "/other");
  node.kernel.room = 1000;
  node.round();
  EXPECT_TRUE(node.ledger.workloads().begin()->second.tops.empty());
  EXPECT_TRUE(node.ledger.workloads().begin()->second.instances.empty());
  node.round(kKeep + 1s);
  EXPECT_TRUE(node.ledger.workloads().empty());
  node.kernel.use(2, 100);
  node.round();
  EXPECT_EQ(node.of("/asleep").run_ns, 100U);
  EXPECT_EQ(node.ledger.workloads().begin()->second.tops, std::set<std::string>{"/asleep"});
}

TEST(UsageLedger, WaitsAreCountedOverTheWrapOfTheKernelsNumbers) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.wait(10, 3, 0xffffffffU);
  node.round();
  node.kernel.wait(10, 3, 2);
  node.round();
  EXPECT_EQ(node.of("/a").waits.at(3), 0x100000001U);
}

TEST(UsageLedger, CountsFromTheBeginningToTheEnd) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  node.kernel.use(10, 7);
  node.round();
  EXPECT_EQ(node.of("/a"), (stats::GroupUsage{.run_ns = 12, .wait_ns = 24, .dispatches = 2, .waits = {}}));
  EXPECT_EQ(node.ledger.workloads().begin()->second.tops, std::set<std::string>{"/a"});
  // Its last task is still on its way out after the directory is gone.
  node.kernel.remove(10);
  node.round();
  node.kernel.use(10, 3);
  for (int i = 0; i < 3; ++i) node.round();
  EXPECT_EQ(node.of("/a").run_ns, 15U);
  EXPECT_EQ(node.kernel.numbers(), 0U) << "the number is free again";
  EXPECT_TRUE(node.ledger.workloads().begin()->second.tops.empty());
}

TEST(UsageLedger, OneThatLivedForLessThanARoundIsCounted) {
  LedgerNode node;
  node.round();
  node.kernel.make(10, "/short");
  node.kernel.use(10, 4);
  node.kernel.remove(10);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_EQ(node.of("/short").run_ns, 4U);
  EXPECT_EQ(node.ledger.cgroups(), 1U) << "the root alone";
}

TEST(UsageLedger, InstancesOfOneNameAreOneSeriesThatNeverFalls) {
  LedgerNode node;
  std::uint64_t before = 0;
  for (std::uint64_t id = 10; id < 20; ++id) {
    node.kernel.make(id, "/a");
    node.kernel.use(id, 5);
    node.round(3s);
    node.kernel.remove(id);
    node.round(3s);
    EXPECT_EQ(node.of("/a").run_ns, before + 5);
    before = node.of("/a").run_ns;
  }
}

TEST(UsageLedger, WhatWasThereBeforeIsFoundByLooking) {
  LedgerNode node;
  node.kernel.room = 0;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.names.walks, 1);
  node.round();
  EXPECT_EQ(node.names.walks, 1) << "nothing was lost since";
}

TEST(UsageLedger, AnEndThatNobodyToldOfIsFoundByLooking) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  node.kernel.room = 0;
  node.kernel.remove(10);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_EQ(node.kernel.numbers(), 0U);
  EXPECT_EQ(node.of("/a").run_ns, 5U);
}

TEST(UsageLedger, WhoSeesOnlyAPartReleasesNothingThatMayLive) {
  LedgerNode node;
  node.names.sees_all = false;
  node.kernel.room = 0;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  for (int i = 0; i < 5; ++i) node.round();
  EXPECT_EQ(node.kernel.numbers(), 1U);
  EXPECT_EQ(node.sum().run_ns, 5U) << "unknown, but not lost";
}

TEST(UsageLedger, ANameThatComesLateIsWaitedFor) {
  LedgerNode node;
  node.names.complete = false;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  EXPECT_TRUE(node.ledger.workloads().empty()) << "it may be another's in the end";
  node.names.complete = true;
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  const int asked = node.names.asked;
  node.round();
  EXPECT_EQ(node.names.asked, asked) << "known for good";
}

TEST(UsageLedger, ANameThatNeverComesIsWaitedForInPatience) {
  LedgerNode node;
  node.names.complete = false;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  for (int i = 0; i < 12; ++i) node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
}

TEST(UsageLedger, WhatFindsNoNumberIsUnknown) {
  LedgerNode node(1);
  node.kernel.make(10, "/a");
  node.kernel.make(11, "/b");
  node.kernel.use(10, 5);
  node.kernel.use(11, 7);
  node.round();
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.ledger.workloads().at(WorkloadName{}).usage.run_ns, 7U);
}

TEST(UsageLedger, WorkloadsThatEndedAreForgottenAfterAWhile) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  node.kernel.remove(10);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_EQ(node.ledger.workloads().size(), 1U);
  node.round(kKeep + 1s);
  EXPECT_TRUE(node.ledger.workloads().empty());
}

TEST(UsageLedger, OfManyThatEndedTheLatestAreKeptAndAllThatLive) {
  LedgerNode node(20'000);
  node.kernel.make(1, "/lives");
  node.kernel.use(1, 1);
  node.round();
  constexpr std::uint64_t kMany = UsageLedger::kMostEnded + 100;
  for (std::uint64_t id = 10; id < 10 + kMany; ++id) {
    node.kernel.make(id, "/" + std::to_string(id));
    node.kernel.use(id, 1);
    node.kernel.remove(id);
    if (id % 100 == 0) node.round();
  }
  node.round(10s);
  node.round(10s);
  EXPECT_EQ(node.ledger.workloads().size(), UsageLedger::kMostEnded + 1);
  EXPECT_EQ(node.ledger.forgotten(), 100U);
  EXPECT_EQ(node.of("/lives").run_ns, 1U);
  EXPECT_EQ(node.of("/" + std::to_string(10 + kMany - 1)).run_ns, 1U) << "of the latest";
}

TEST(UsageLedger, WhereItCannotBeLookedWhatIsKnownGoesOn) {
  LedgerNode node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.names.looks = false;
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.ledger.failed_walks(), 1U);
}

// Cgroups come and go by the thousand, events are lost, numbers run out: everything that was used is counted, each
// nanosecond once.
TEST(UsageLedger, NothingIsLostOrCountedTwice) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto up_to = [&random](unsigned n) {
      return std::uniform_int_distribution<unsigned>(0, n)(random);
    };
    LedgerNode node(20);
    std::uint64_t next = 10;
    std::vector<std::uint64_t> living;
    std::map<std::string, stats::GroupUsage> before;
    for (int round = 0; round < 300; ++round) {
      node.kernel.room = up_to(9) == 0 ? 3 : 1000;
      for (unsigned i = up_to(15); i > 0; --i) {
        node.kernel.make(next, "/" + std::to_string(up_to(30)));
        living.push_back(next++);
      }
      for (unsigned i = up_to(40); i > 0 && !living.empty(); --i)
        node.kernel.use(living[up_to(static_cast<unsigned>(living.size()) - 1)], up_to(1000));
      while (living.size() > 10 + up_to(20)) {
        const auto at = living.begin() + up_to(static_cast<unsigned>(living.size()) - 1);
        node.kernel.remove(*at);
        living.erase(at);
      }
      node.round();
      for (const auto& [name, workload] : node.ledger.workloads()) {
        stats::GroupUsage& last = before[name.container];
        EXPECT_GE(workload.usage.run_ns, last.run_ns) << name.container;
        last = workload.usage;
      }
    }
    for (int i = 0; i < 4; ++i) node.round();
    EXPECT_EQ(node.sum(), node.kernel.used);
    for (const std::uint64_t id : living) node.kernel.remove(id);
    for (int i = 0; i < 4; ++i) node.round();
    EXPECT_EQ(node.sum(), node.kernel.used);
    EXPECT_EQ(node.kernel.numbers(), 0U);
    EXPECT_EQ(node.ledger.cgroups(), 1U);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
