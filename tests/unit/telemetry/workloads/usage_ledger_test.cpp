// The ledger against a kernel of the test's own: what was used is somebody's, once.
#include "telemetry/workloads/usage_ledger.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using Clock = UsageLedger::Clock;

constexpr auto kKeep = 5min;

// Cgroups, numbers and usage as bpf/lib/usage.bpf.h keeps them.
class FakeKernel final : public UsageSource {
 public:
  explicit FakeKernel(std::uint32_t most) {
    for (std::uint32_t group = most; group > 0; --group) free_.push_back(group);
    groups_.resize(most + 1);
  }

  void make(std::uint64_t id, const std::string& path) {
    there_.emplace(id, path);
    tell({.id = id, .gone = false, .path = path});
  }
  void remove(std::uint64_t id) {
    tell({.id = id, .gone = true, .path = there_.at(id)});
    there_.erase(id);
  }
  void end(std::uint64_t id, int status) {
    tell({.id = id,
          .gone = false,
          .path = {},
          .ended = ContainerEnd{.status = status, .oom = false, .time = {}}});
  }
  void begin(std::uint64_t id, std::uint64_t pid) {
    CgroupEvent event{.id = id, .gone = false, .path = {}};
    event.began = pid;
    tell(std::move(event));
  }
  void leave(std::uint64_t id) {
    CgroupEvent event{.id = id, .gone = false, .path = there_.at(id)};
    event.empty = true;
    tell(std::move(event));
  }
  void use(std::uint64_t id, std::uint64_t ns) {
    if (!numbers_.contains(id) && !free_.empty()) {
      numbers_[id] = free_.back();
      free_.pop_back();
    }
    const auto at = numbers_.find(id);
    groups_.at(at == numbers_.end() ? 0 : at->second) +=
        {.run_ns = ns, .wait_ns = 2 * ns, .dispatches = 1, .waits = {}};
    used += {.run_ns = ns, .wait_ns = 2 * ns, .dispatches = 1, .waits = {}};
  }
  // It has a number; a bucket wraps as the kernel's do.
  void wait(std::uint64_t id, std::size_t bucket, std::uint32_t times) {
    std::uint64_t& count = groups_.at(numbers_.at(id)).waits.at(bucket);
    count = static_cast<std::uint32_t>(count + times);
  }

  [[nodiscard]] bool take_events(const std::function<void(CgroupEvent)>& take) override {
    for (CgroupEvent& event : events_) take(std::move(event));
    events_.clear();
    return !std::exchange(lost_, false);
  }
  [[nodiscard]] Result<std::vector<NumberedCgroup>> numbered() override {
    std::vector<NumberedCgroup> all;
    for (const auto& [id, group] : numbers_) all.push_back({id, group});
    return all;
  }
  [[nodiscard]] GroupUsage read(std::uint32_t group) const override { return groups_.at(group); }
  [[nodiscard]] GroupUsage release(const NumberedCgroup& cgroup) override {
    EXPECT_FALSE(there_.contains(cgroup.id)) << "it is still there";
    EXPECT_EQ(numbers_.at(cgroup.id), cgroup.group);
    numbers_.erase(cgroup.id);
    free_.push_back(cgroup.group);
    return std::exchange(groups_.at(cgroup.group), GroupUsage{});
  }
  [[nodiscard]] GroupUsage unnumbered() const override { return groups_.at(0); }

  [[nodiscard]] const std::map<std::uint64_t, std::string>& there() const { return there_; }
  [[nodiscard]] std::size_t numbers() const { return numbers_.size(); }
  std::size_t room = 1000;  // for events
  GroupUsage used;

 private:
  void tell(CgroupEvent event) {
    if (events_.size() < room)
      events_.push_back(std::move(event));
    else
      lost_ = true;
  }

  std::map<std::uint64_t, std::string> there_;
  std::map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> free_;
  std::vector<GroupUsage> groups_;
  std::vector<CgroupEvent> events_;
  bool lost_ = false;
};

// A path is its workload's name.
class FakeNames final : public CgroupNames {
 public:
  explicit FakeNames(const FakeKernel& kernel) : kernel_(kernel) {}
  [[nodiscard]] CgroupNaming name(std::uint64_t /*id*/, const std::string& path) override {
    ++asked;
    return {
        .name = {.kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = path, .workload = {}},
        .complete = complete,
        .top = tops.contains(path) ? tops.at(path) : path,
        .flow = {},
        .id = "id of " + path,
        .image = "image",
        .pod_uid = "uid",
        .runtime = "runtime"};
  }
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t id, std::string path)>& see) override {
    ++walks;
    if (!looks) return fail("too many");
    if (sees_all) see(UsageLedger::kRoot, "/");
    for (const auto& [id, path] : kernel_.there())
      if (sees_all) see(id, path);
    return {};
  }
  [[nodiscard]] bool has_processes(const std::string& path) override { return at_rest.contains(path); }
  bool complete = true;
  bool sees_all = true;
  bool looks = true;
  std::set<std::string> at_rest;
  std::map<std::string, std::string> tops;  // where they are others
  int asked = 0;
  int walks = 0;

 private:
  const FakeKernel& kernel_;
};

struct Node {
  explicit Node(std::uint32_t most = 100) : kernel(most), names(kernel), ledger(kKeep) {}
  void round(std::chrono::seconds later = 1s) { EXPECT_TRUE(ledger.round(kernel, names, now += later)); }
  [[nodiscard]] GroupUsage of(const std::string& path) const {
    for (const auto& [name, workload] : ledger.workloads())
      if (name.container == path) return workload.usage;
    return {};
  }
  [[nodiscard]] GroupUsage sum() const {
    GroupUsage all;
    for (const auto& [name, workload] : ledger.workloads()) all += workload.usage;
    return all;
  }

  FakeKernel kernel;
  FakeNames names;
  UsageLedger ledger;
  Clock::time_point now{1h};
};

TEST(UsageLedger, WhoSleepsSinceBeforeIsThereToo) {
  Node node;
  node.kernel.make(10, "/asleep");
  node.kernel.make(11, "/empty");
  (void)node.kernel.take_events([](const CgroupEvent&) {});  // they were made before anybody looked
  node.names.at_rest = {"/asleep"};
  node.round();
  ASSERT_EQ(node.ledger.workloads().size(), 1U);
  EXPECT_EQ(node.ledger.workloads().begin()->first.container, "/asleep");
  EXPECT_EQ(node.ledger.workloads().begin()->second.tops, std::set<std::string>{"/asleep"});
  EXPECT_EQ(node.ledger.workloads().begin()->second.instances,
            (std::map<std::string, stats::Labels>{{"/asleep",
                                                   {"container", "", "", "/asleep", "", "id of /asleep",
                                                    "image", "/asleep", "uid", "runtime"}}}));
  EXPECT_EQ(node.of("/asleep"), GroupUsage{});
  node.kernel.use(10, 5);
  node.round();
  EXPECT_EQ(node.of("/asleep").run_ns, 5U);
}

TEST(UsageLedger, WhoSleptWentAndIsBackWhenItWasForgottenIsCounted) {
  Node node;
  node.kernel.make(2, "/asleep");
  node.names.at_rest = {"/asleep"};
  node.round();
  ASSERT_EQ(node.ledger.workloads().size(), 1U);
  // Who looks anew finds that nobody is in it.
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
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.wait(10, 3, 0xffffffffU);
  node.round();
  node.kernel.wait(10, 3, 2);
  node.round();
  EXPECT_EQ(node.of("/a").waits.at(3), 0x100000001U);
}

TEST(UsageLedger, TellsOfAnEndOnceAndWhenItIsKnownWhose) {
  Node node;
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
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  EXPECT_TRUE(node.ledger.take_turns(node.kernel, node.names, node.now).ended.empty()) << "it goes on";
  node.kernel.end(10, 0);
  const auto endings = node.ledger.take_turns(node.kernel, node.names, node.now).ended;
  ASSERT_EQ(endings.size(), 1U);
  EXPECT_EQ(endings.at(0).name.container, "/a");
  EXPECT_EQ(endings.at(0).top, "/a");
  // What was taken out of the order is not lost to who asks each second.
  node.kernel.remove(10);
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.ledger.take_ended().size(), 1U);
  // Of whom only a part of the name is known the rest may be another's.
  node.names.complete = false;
  node.kernel.make(11, "/b");
  node.kernel.end(11, 0);
  EXPECT_TRUE(node.ledger.take_turns(node.kernel, node.names, node.now).ended.empty());
}

TEST(UsageLedger, TellsAtOnceWhichContainerBeginsThoughItsNameComesLate) {
  Node node;
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
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.kernel.end(10, 0);
  node.round();
  const auto turns = [&] { return node.ledger.take_turns(node.kernel, node.names, node.now); };
  EXPECT_EQ(turns().ended.size(), 1U);
  EXPECT_TRUE(turns().ended.empty());
  // One that is forgotten by then.
  node.kernel.make(11, "/b");
  node.kernel.leave(11);
  node.kernel.remove(11);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_TRUE(turns().ended.empty());
}

TEST(UsageLedger, TellsAtOnceWhoseLastProcessHasEnded) {
  Node node;
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
  Node node;
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

TEST(UsageLedger, CountsFromTheBeginningToTheEnd) {
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  node.kernel.use(10, 7);
  node.round();
  EXPECT_EQ(node.of("/a"), (GroupUsage{.run_ns = 12, .wait_ns = 24, .dispatches = 2, .waits = {}}));
  EXPECT_EQ(node.ledger.workloads().begin()->second.tops, std::set<std::string>{"/a"});
  // Its last task is on its way out after the directory is gone.
  node.kernel.remove(10);
  node.round();
  node.kernel.use(10, 3);
  for (int i = 0; i < 3; ++i) node.round();
  EXPECT_EQ(node.of("/a").run_ns, 15U);
  EXPECT_EQ(node.kernel.numbers(), 0U) << "the number is free again";
  EXPECT_TRUE(node.ledger.workloads().begin()->second.tops.empty());
}

TEST(UsageLedger, OneThatLivedForLessThanARoundIsCounted) {
  Node node;
  node.round();
  node.kernel.make(10, "/short");
  node.kernel.use(10, 4);
  node.kernel.remove(10);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_EQ(node.of("/short").run_ns, 4U);
  EXPECT_EQ(node.ledger.cgroups(), 1U) << "the root alone";
}

TEST(UsageLedger, InstancesOfOneNameAreOneSeriesThatNeverFalls) {
  Node node;
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
  Node node;
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
  Node node;
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
  Node node;
  node.names.sees_all = false;
  node.kernel.room = 0;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  for (int i = 0; i < 5; ++i) node.round();
  EXPECT_EQ(node.kernel.numbers(), 1U);
  EXPECT_EQ(node.sum().run_ns, 5U) << "unknown, but not lost";
}

TEST(UsageLedger, ANameThatComesLateIsWaitedFor) {
  Node node;
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
  Node node;
  node.names.complete = false;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  for (int i = 0; i < 12; ++i) node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
}

TEST(UsageLedger, WhatFindsNoNumberIsUnknown) {
  Node node(1);
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
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.round();
  node.kernel.remove(10);
  for (int i = 0; i < 4; ++i) node.round();
  EXPECT_EQ(node.ledger.workloads().size(), 1U);
  node.round(kKeep + 1s);
  EXPECT_TRUE(node.ledger.workloads().empty());
}

// Cgroups come and go by the thousand, events are lost, numbers run out: what was used is counted, each nanosecond once.
TEST(UsageLedger, OfManyThatEndedTheLatestAreKeptAndAllThatLive) {
  Node node(20'000);
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
  Node node;
  node.kernel.make(10, "/a");
  node.kernel.use(10, 5);
  node.names.looks = false;
  node.round();
  EXPECT_EQ(node.of("/a").run_ns, 5U);
  EXPECT_EQ(node.ledger.failed_walks(), 1U);
}

TEST(UsageLedger, NothingIsLostOrCountedTwice) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto up_to = [&random](unsigned n) {
      return std::uniform_int_distribution<unsigned>(0, n)(random);
    };
    Node node(20);
    std::uint64_t next = 10;
    std::vector<std::uint64_t> living;
    std::map<std::string, GroupUsage> before;
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
        GroupUsage& last = before[name.container];
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
