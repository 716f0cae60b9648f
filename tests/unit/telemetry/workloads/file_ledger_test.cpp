// The ledger against cgroups of the test's own: counters never fall, gauges cover what exists.
#include "telemetry/workloads/files/file_ledger.hpp"

#include <gtest/gtest.h>

#include <random>

#include "telemetry/workloads/files/bounded_devices.hpp"
#include "tests/unit/telemetry/workloads/file_ledger_node.hpp"

namespace flowtap::telemetry {
namespace {

using enum CgroupCounter;
using enum CgroupGauge;

TEST(FileLedger, CountersGoOnOverARestart) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  node.round();
  EXPECT_EQ(node.bytes("a"), 100U);
  node.kernel.there["/1"]->values[kPageFaults] = 150;
  node.round();
  EXPECT_EQ(node.bytes("a"), 150U);
  node.kernel.remove("/1");
  node.tops("a").clear();
  node.round();
  EXPECT_EQ(node.bytes("a"), 150U);
  EXPECT_FALSE(node.gauge("a")) << "nothing is there";
  EXPECT_EQ(node.kernel.open, 0);
  node.tops("a") = {"/2"};
  node.kernel.make("/2", 7);
  node.round();
  EXPECT_EQ(node.bytes("a"), 157U);
  EXPECT_EQ(node.gauge("a"), 7);
  EXPECT_EQ(node.unread, 0U) << "an end is no error";
}

TEST(FileLedger, EachDeviceGoesOnByWhatItIsCalled) {
  constexpr BlockDevice kDisk{8, 0}, kOther{8, 16}, kAgain{8, 32};
  FileNode node;
  node.call(kDisk, "sda");
  node.call(kOther, "sdb");
  node.tops("a") = {"/1"};
  auto& cgroup = node.kernel.make("/1");
  const auto io = [&] { return node.ledger.workloads().at(named("a")).io; };
  cgroup.values.io = BlockIo{{kDisk, {{100, 10, 1, 1}}}};
  node.round();
  cgroup.values.io = BlockIo{{kDisk, {{150, 10, 2, 1}}}, {kOther, {{7, 0, 1, 0}}}};
  node.round();
  const NamedIo both{{"sda", {{150, 10, 2, 1}}}, {"sdb", {{7, 0, 1, 0}}}};
  EXPECT_EQ(io(), both);
  cgroup.values.io.reset();
  node.round();
  EXPECT_EQ(io(), both) << "not read";
  cgroup.values.io = BlockIo{{kDisk, {{150, 10, 2, 1}}}};
  node.round();
  EXPECT_EQ(io(), both) << "one is gone, what it did is not";
  node.call(kOther, "sdc");
  node.call(kAgain, "sdb");
  cgroup.values.io = BlockIo{{kDisk, {{150, 10, 2, 1}}}, {kOther, {{9, 0, 1, 0}}}, {kAgain, {{3, 0, 1, 0}}}};
  node.round();
  EXPECT_EQ(io(), (NamedIo{{"sda", {{150, 10, 2, 1}}}, {"sdb", {{10, 0, 2, 0}}}, {"sdc", {{9, 0, 1, 0}}}}))
      << "its number is another's, and its name as well";
  node.kernel.remove("/1");
  node.kernel.make("/2").values.io = BlockIo{{kDisk, {{5, 0, 1, 0}}}};
  node.tops("a") = {"/2"};
  node.round();
  EXPECT_EQ(io()["sda"], (DeviceIo{{155, 10, 3, 1}})) << "a new container";
}

TEST(FileLedger, OfMoreDevicesThanItTellsApartNoByteIsLost) {
  constexpr std::uint32_t kDevices = kMostDevices + 10;
  FileNode node;
  node.tops("a") = {"/1"};
  FileKernel::Cgroup& cgroup = node.kernel.make("/1");
  const auto total = [&] {
    std::uint64_t sum = 0;
    for (const auto& [name, io] : node.ledger.workloads().at(named("a")).io)
      sum += io[IoCounter::kReadBytes].value_or(0);
    return sum;
  };
  // As with volumes that come and go: each new one replaces an old one.
  std::uint64_t done = 0;
  for (std::uint32_t minor = 0; minor < kDevices; ++minor) {
    cgroup.values.io = BlockIo{{{8, minor}, {{100 + minor, 0, 1, 0}}}};
    done += 100 + minor;
    node.round();
    cgroup.values.io = BlockIo{{{8, minor}, {{200 + minor, 0, 2, 0}}}};
    done += 100;
    node.round();
    EXPECT_EQ(total(), done) << minor;
  }
  const NamedIo& io = node.ledger.workloads().at(named("a")).io;
  EXPECT_EQ(io.size(), kMostDevices + 1);
  EXPECT_TRUE(io.contains(std::string(kOtherDevices)));
}

TEST(FileLedger, WhatEndsIsReadOnceMore) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  node.round();
  node.kernel.there["/1"]->values[kPageFaults] = 170;
  node.ledger.read_last(named("a"), "/1", node.now, node.unread);
  node.kernel.remove("/1");
  node.tops("a").clear();
  node.round();
  EXPECT_EQ(node.bytes("a"), 170U);
  // A cgroup that began and ended between two looks.
  node.kernel.make("/2", 30);
  node.ledger.read_last(named("a"), "/2", node.now, node.unread);
  node.kernel.remove("/2");
  node.round();
  EXPECT_EQ(node.bytes("a"), 200U);
  EXPECT_FALSE(node.gauge("a")) << "nothing is there";
  EXPECT_EQ(node.kernel.open, 0);
  // A cgroup that was removed before anybody could look.
  node.ledger.read_last(named("a"), "/3", node.now, node.unread);
  node.round();
  EXPECT_EQ(node.bytes("a"), 200U);
  EXPECT_EQ(node.unread, 0U) << "an end is no error";
}

// Runtimes restart a container under its id like this.
TEST(FileLedger, WhatBeganAndEndedAtThePathOfOneThatIsGoneIsReadOnceMore) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  node.round();
  node.kernel.remove("/1");
  node.kernel.make("/1", 30);
  node.ledger.read_last(named("a"), "/1", node.now, node.unread);
  node.kernel.remove("/1");
  node.tops("a").clear();
  node.round();
  EXPECT_EQ(node.bytes("a"), 130U);
  EXPECT_EQ(node.kernel.open, 0);
  EXPECT_EQ(node.unread, 0U) << "an end is no error";
}

TEST(FileLedger, WhatWasThereBeforeIsNotYoung) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  for (int i = 0; i < 10; ++i) node.round(std::chrono::seconds(1));
  EXPECT_LE(node.kernel.reads, 3);
}

TEST(FileLedger, WhatIsOldIsReadLessOften) {
  FileNode node;
  node.tops("another").clear();
  node.round();
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  for (int i = 0; i < 11; ++i) {
    node.round(std::chrono::seconds(1));
    EXPECT_EQ(node.kernel.reads, i + 1);
  }
  node.kernel.there["/1"]->values[kPageFaults] = 150;
  const int young = node.kernel.reads;
  for (int i = 0; i < 20; ++i) node.round(std::chrono::seconds(1));
  EXPECT_EQ(node.kernel.reads, young + 4);
  EXPECT_EQ(node.bytes("a"), 150U);
  EXPECT_EQ(node.gauge("a"), 100) << "it stays in between";
  // A cgroup whose end was reported is looked at.
  node.kernel.remove("/1");
  node.tops("a").clear();
  node.round(std::chrono::seconds(1));
  EXPECT_FALSE(node.gauge("a"));
}

TEST(FileLedger, ThoseThatCameAtOnceAreSpread) {
  FileNode node;
  for (int i = 0; i < 500; ++i) {
    node.tops(std::to_string(i)) = {"/" + std::to_string(i)};
    node.kernel.make("/" + std::to_string(i));
  }
  for (int i = 0; i < 20; ++i) node.round(std::chrono::seconds(1));
  for (int i = 0; i < 10; ++i) {
    const int before = node.kernel.reads;
    node.round(std::chrono::seconds(1));
    EXPECT_GT(node.kernel.reads - before, 50);
    EXPECT_LT(node.kernel.reads - before, 150);
  }
}

TEST(FileLedger, SandboxesAreReadMoreSeldomAndSpread) {
  constexpr int kPods = 200;  // twice this many are still read each kEvery
  FileNode node;
  const auto make = [&node](int first) {
    for (int i = first; i < first + kPods; ++i) {
      const std::string path = "/" + std::to_string(i);
      node.workloads[{.kind = WorkloadKind::kPod,
                      .ns = "ns",
                      .pod = std::to_string(i),
                      .container = std::string(kSandbox),
                      .workload = {}}]
          .tops = {path};
      node.kernel.make(path);
    }
  };
  const auto reads_in = [&node](int seconds) {
    const int before = node.kernel.reads;
    for (int i = 0; i < seconds; ++i) node.round(std::chrono::seconds(1));
    return node.kernel.reads - before;
  };
  constexpr int kEach = FileLedger::kSeldomFactor * FileLedger::kEvery.count();
  make(0);  // it existed before
  reads_in(1);
  make(kPods);  // new
  EXPECT_GE(reads_in(FileLedger::kYoung.count()), kPods * FileLedger::kYoung.count());
  reads_in(2 * kEach);
  for (int i = 0; i < kEach; ++i) {
    const int reads = reads_in(1);
    EXPECT_GT(reads, kPods / kEach);
    EXPECT_LT(reads, 4 * kPods / kEach);
  }
  EXPECT_EQ(reads_in(4 * kEach), 4 * 2 * kPods);
}

TEST(FileLedger, AnotherCgroupAtTheSamePathIsCountedFromItsBeginning) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  node.round();
  node.kernel.remove("/1");
  node.kernel.make("/1", 130);
  node.round();
  EXPECT_EQ(node.bytes("a"), 230U);
  EXPECT_EQ(node.gauge("a"), 130);
}

TEST(FileLedger, WhatHasNothingToRunForAWhileIsNotCountedTwice) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 100);
  node.round();
  node.tops("a").clear();
  node.round();
  EXPECT_EQ(node.gauge("a"), 100) << "it is still there";
  node.tops("a") = {"/1"};
  node.round();
  EXPECT_EQ(node.bytes("a"), 100U);
  EXPECT_EQ(node.kernel.opened, 1);
}

TEST(FileLedger, ACounterThatFellGoesOnFromThere) {
  FileNode node;
  node.tops("a") = {"/1"};
  auto& cgroup = node.kernel.make("/1", 100);
  node.round();
  cgroup.values[kPageFaults] = 40;
  node.round();
  EXPECT_EQ(node.bytes("a"), 100U);
  cgroup.values[kPageFaults] = 50;
  node.round();
  EXPECT_EQ(node.bytes("a"), 110U);
}

TEST(FileLedger, WhatCouldNotBeReadOnceKeepsItsPlace) {
  FileNode node;
  node.tops("a") = {"/1"};
  auto& cgroup = node.kernel.make("/1", 100);
  node.round();
  cgroup.values[kPageFaults].reset();
  cgroup.unread = 1;
  node.round();
  EXPECT_EQ(node.bytes("a"), 100U);
  EXPECT_EQ(node.unread, 1U);
  cgroup.values[kPageFaults] = 110;
  node.round();
  EXPECT_EQ(node.bytes("a"), 110U);
}

TEST(FileLedger, GaugesAreTheSumOfTheInstances) {
  FileNode node;
  node.tops("a") = {"/1", "/2"};
  node.kernel.make("/1", 100).values[kMemoryLimit] = 1000;
  node.kernel.make("/2", 20).values[kTasks] = 3;
  node.round();
  EXPECT_EQ(node.gauge("a"), 120);
  EXPECT_EQ(node.gauge("a", kTasks), 3);
  EXPECT_FALSE(node.gauge("a", kMemoryLimit)) << "one has none";
  node.kernel.there["/2"]->values[kMemoryLimit] = 500;
  node.round();
  EXPECT_EQ(node.gauge("a", kMemoryLimit), 1500);
}

TEST(FileLedger, WhatNobodyTellsIsAbsent) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.tops("b") = {"/none"};
  node.workloads[named("c")];
  node.kernel.make("/1", 1);
  node.round();
  EXPECT_FALSE(node.ledger.workloads().at(named("a")).values[kOomKills]);
  EXPECT_FALSE(node.bytes("b"));
  EXPECT_FALSE(node.ledger.workloads().contains(named("c")));
}

TEST(FileLedger, WhoseWorkloadIsForgottenIsForgotten) {
  FileNode node;
  node.tops("a") = {"/1"};
  node.kernel.make("/1", 1);
  node.round();
  node.workloads.clear();
  node.round();
  EXPECT_TRUE(node.ledger.workloads().empty());
  EXPECT_EQ(node.kernel.open, 0);
}

// Instances come, do something, fail to be read, end and come again at their paths: no counter falls, and it contains
// what was last seen of each.
TEST(FileLedger, NoCounterEverFalls) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto up_to = [&random](unsigned n) {
      return std::uniform_int_distribution<unsigned>(0, n)(random);
    };
    FileNode node;
    std::map<std::string, std::uint64_t> wanted;  // by name
    std::map<std::string, std::uint64_t> seen;    // by path, for the instance that exists
    std::map<std::string, std::uint64_t> before;
    for (int round = 0; round < 300; ++round) {
      for (unsigned i = 0; i < 8; ++i) {
        const std::string name(1, static_cast<char>('a' + i % 3));
        const std::string path = "/" + std::to_string(i);
        const bool there = node.kernel.there.contains(path);
        if (there && up_to(5) == 0) {
          node.kernel.remove(path);
          node.tops(name).erase(path);
          seen.erase(path);
        }
        if (!node.kernel.there.contains(path) && up_to(3) == 0) node.kernel.make(path, up_to(100));
        const auto at = node.kernel.there.find(path);
        if (at == node.kernel.there.end()) continue;
        if (up_to(9) != 0) node.tops(name).insert(path);
        if (up_to(9) == 0) node.tops(name).erase(path);
        at->second->values[kPageFaults] =
            at->second->values[kPageFaults].value_or(seen.contains(path) ? seen[path] : 0) + up_to(1000);
        if (!node.tops(name).contains(path) && !seen.contains(path)) continue;
        const std::uint64_t now = *at->second->values[kPageFaults];
        if (up_to(9) == 0) {
          if (!seen.contains(path)) seen[path] = 0;
          at->second->values[kPageFaults].reset();
          continue;
        }
        wanted[name] += now - (seen.contains(path) ? seen[path] : 0);
        seen[path] = now;
      }
      node.round();
      for (const char* name : {"a", "b", "c"}) {
        const std::uint64_t bytes = node.bytes(name).value_or(0);
        EXPECT_GE(bytes, before[name]);
        EXPECT_EQ(bytes, wanted[name]);
        before[name] = bytes;
      }
    }
    EXPECT_LE(node.kernel.open, 8);
  }
}

}  // namespace
}  // namespace flowtap::telemetry
