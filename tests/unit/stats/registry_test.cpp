#include "stats/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace flowtap::stats {
namespace {

std::optional<Value> find(const Snapshot& snapshot, FamilyId family, const std::vector<std::string>& labels) {
  for (const Series& s : snapshot.series)
    if (s.stat->family == family && s.labels == labels) return s.value;
  return std::nullopt;
}

std::uint64_t dispatched(const Snapshot& snapshot, const std::string& scheduler, const std::string& type) {
  const auto value = find(snapshot, FamilyId::kDISPATCHED_TASKS, {scheduler, type});
  return value ? std::get<std::uint64_t>(*value) : ~0ULL;
}

SlotCounts counts(std::size_t cls, std::size_t slot, std::uint64_t n) {
  SlotCounts c{};
  c.at(cls).at(slot) = n;
  return c;
}

Registry registry(std::size_t cap = 1000) {
  return Registry(cap, std::chrono::system_clock::now());
}

TEST(Registry, AllTypesExistAtZeroFromTheFirstSnapshot) {
  auto r = registry();
  r.add(SlotCounts{}, "");
  const auto snapshot = r.publish({});
  for (const Stat& s : slot_stats())
    if (s.family == FamilyId::kDISPATCHED_TASKS && s.counted_by == CountedBy::kTracing) {
      EXPECT_EQ(dispatched(*snapshot, "kernel", std::string(*s.label)), 0U);
    }
  EXPECT_TRUE(find(*snapshot, FamilyId::kBPF_ERRORS, {"task_storage"}));
}

TEST(Registry, WhatWasNeverCountedIsAbsent) {
  auto r = registry();
  EXPECT_FALSE(find(*r.publish({}), FamilyId::kDISPATCHED_TASKS, {"kernel", "pinned"}));
  r.add(SlotCounts{}, "");
  EXPECT_EQ(dispatched(*r.publish({}), "kernel", "pinned"), 0U);
}

TEST(Registry, WhatIsKeptForALaterCycleStandsInItsFamilyAndStays) {
  auto r = registry(2);
  const Stat& cpu = stat(StatId::kWORKLOAD_CPU);
  const auto of = [&](const char* name, double seconds) {
    return Series{&cpu, {"container", "", "", name, ""}, seconds};
  };
  const std::vector<Series> kept{of("b", 2), {&stat(StatId::kNODE_ENERGY), {}, 7.0}, of("c", 3)};
  for (int cycle = 0; cycle < 2; ++cycle) {
    const auto snapshot = r.publish({of("a", 1)}, std::nullopt, kept);
    EXPECT_EQ(find(*snapshot, cpu.family, {"container", "", "", "a", ""}), Value(1.0));
    EXPECT_EQ(find(*snapshot, cpu.family, {"container", "", "", "b", ""}), Value(2.0));
    EXPECT_FALSE(find(*snapshot, cpu.family, {"container", "", "", "c", ""}))
        << "the cap is of both together";
    EXPECT_EQ(find(*snapshot, FamilyId::kNODE_ENERGY, {}), Value(7.0));
    EXPECT_TRUE(std::ranges::is_sorted(snapshot->series, {}, [](const Series& s) { return s.stat->family; }));
  }
}

TEST(Registry, AddsCyclesUp) {
  auto r = registry();
  r.add(counts(FTAP_CLASS_KERNEL, FTAP_SLOT_PINNED, 3), "");
  r.add(counts(FTAP_CLASS_KERNEL, FTAP_SLOT_PINNED, 4), "");
  const auto first = r.publish({});
  r.add(counts(FTAP_CLASS_KERNEL, FTAP_SLOT_PINNED, 5), "");
  const auto second = r.publish({});
  EXPECT_EQ(dispatched(*first, "kernel", "pinned"), 7U) << "a published snapshot does not change";
  EXPECT_EQ(dispatched(*second, "kernel", "pinned"), 12U);
  EXPECT_EQ(second->cycle, first->cycle + 1);
}

TEST(Registry, ExtDispatchesGoToTheSchedulerThatRuns) {
  auto r = registry();
  r.add(counts(FTAP_CLASS_EXT, FTAP_SLOT_WSYNC, 1), "rusty");
  r.add(counts(FTAP_CLASS_EXT, FTAP_SLOT_WSYNC, 10), "lavd");
  // The scheduler was unloaded within the cycle, so sysfs names none any more.
  r.add(counts(FTAP_CLASS_EXT, FTAP_SLOT_WSYNC, 100), "");
  const auto snapshot = r.publish({});
  EXPECT_EQ(dispatched(*snapshot, "rusty", "wsync"), 1U);
  EXPECT_EQ(dispatched(*snapshot, "lavd", "wsync"), 110U);
  EXPECT_EQ(dispatched(*snapshot, "kernel", "wsync"), 0U);
}

std::vector<std::string> types_of(const Snapshot& snapshot, const std::string& scheduler) {
  std::vector<std::string> types;
  for (const Series& s : snapshot.series)
    if (s.stat->family == FamilyId::kDISPATCHED_TASKS && s.labels[0] == scheduler)
      types.push_back(s.labels[1]);
  return types;
}

TEST(Registry, ASchedulerThatCountsItselfHasItsOwnTypesFromTheFirstSnapshot) {
  auto r = registry();
  r.add(SlotCounts{}, "domain");
  r.add_own(counts(FTAP_CLASS_EXT, FTAP_SLOT_EXT_DSQ, 7), "domain");
  const auto snapshot = r.publish({});
  EXPECT_EQ(types_of(*snapshot, "domain"),
            (std::vector<std::string>{"wsync_prev_idle", "wsync", "prev_idle", "greedy_idle", "pinned",
                                      "direct_dispatch", "direct_greedy", "direct_greedy_far", "dsq",
                                      "greedy_local", "greedy_xnuma", "unobserved"}));
  EXPECT_EQ(dispatched(*snapshot, "domain", "dsq"), 7U);
  EXPECT_EQ(dispatched(*snapshot, "domain", "wsync"), 0U);
  EXPECT_EQ(types_of(*snapshot, "kernel").size(), 18U) << "the kernel's are what tracing tells apart";
  EXPECT_TRUE(find(*snapshot, FamilyId::kRUN_QUEUE_LATENCY, {"domain"})) << "which tracing still measures";
}

TEST(Registry, WithoutTracingASchedulerThatCountsItselfHasNoLatency) {
  auto r = registry();
  r.add_own(counts(FTAP_CLASS_EXT, FTAP_SLOT_EXT_PINNED, 1), "domain");
  const auto snapshot = r.publish({});
  EXPECT_EQ(dispatched(*snapshot, "domain", "pinned"), 1U);
  EXPECT_FALSE(find(*snapshot, FamilyId::kRUN_QUEUE_LATENCY, {"domain"}));
  EXPECT_TRUE(types_of(*snapshot, "kernel").empty()) << "nobody counted there";
}

TEST(Registry, WhatTracingSawUnderTheSameNameBeforeIsAddedToTheSameTypes) {
  auto r = registry();
  auto traced = counts(FTAP_CLASS_EXT, FTAP_SLOT_WSYNC, 3);
  traced.at(FTAP_CLASS_EXT).at(FTAP_SLOT_PREEMPTED) = 5;
  r.add(traced, "domain");  // what tracing saw of that scheduler before
  r.add_own(counts(FTAP_CLASS_EXT, FTAP_SLOT_EXT_WSYNC, 4), "domain");
  const auto snapshot = r.publish({});
  EXPECT_EQ(dispatched(*snapshot, "domain", "wsync"), 7U);
  EXPECT_EQ(dispatched(*snapshot, "domain", "preempted"), 5U) << "no total goes back";
  EXPECT_EQ(std::ranges::count(types_of(*snapshot, "domain"), "wsync"), 1);
}

TEST(Registry, TheExtrasOfSchedulersAreThereOnceOneCountsItself) {
  auto r = registry();
  r.add(SlotCounts{}, "lavd");
  EXPECT_FALSE(find(*r.publish({}), FamilyId::kKICK_GREEDY, {}));
  r.add_own(counts(FTAP_CLASS_EXT, FTAP_SLOT_KICK_GREEDY, 2), "domain");
  r.add_own(counts(FTAP_CLASS_EXT, FTAP_SLOT_KICK_GREEDY, 3), "fifo");
  const auto snapshot = r.publish({});
  EXPECT_EQ(find(*snapshot, FamilyId::kKICK_GREEDY, {}), Value{std::uint64_t{5}});
  EXPECT_EQ(find(*snapshot, FamilyId::kREPATRIATE, {}), Value{std::uint64_t{0}});
}

TEST(Registry, ExtDispatchesWithoutAnyNameAreNotLost) {
  auto r = registry();
  r.add(counts(FTAP_CLASS_EXT, FTAP_SLOT_WSYNC, 2), "");
  EXPECT_EQ(dispatched(*r.publish({}), "sched_ext", "wsync"), 2U);
}

TEST(Registry, ASchedulerIsThereFromTheCycleThatNamesItAndNotBefore) {
  auto r = registry();
  r.add(SlotCounts{}, "");
  EXPECT_FALSE(find(*r.publish({}), FamilyId::kDISPATCHED_TASKS, {"sched_ext", "wsync"}));
  r.add(SlotCounts{}, "rusty");
  EXPECT_EQ(dispatched(*r.publish({}), "rusty", "wsync"), 0U) << "it runs and has dispatched nothing yet";
}

// They are slots of the kernel's class, no matter which scheduler runs.
TEST(Registry, WhatIsCountedForNoSchedulerStandsOnce) {
  auto r = registry();
  r.add(counts(FTAP_CLASS_KERNEL, FTAP_SLOT_ERR_TASK_STORAGE, 3), "rusty");
  const auto snapshot = r.publish({});
  EXPECT_EQ(std::ranges::count_if(snapshot->series,
                                  [](const Series& s) { return s.stat == &stat(StatId::kERR_TASK_STORAGE); }),
            1);
  EXPECT_EQ(find(*snapshot, FamilyId::kBPF_ERRORS, {"task_storage"}), Value(std::uint64_t{3}));
}

TEST(Registry, ASnapshotTellsWhenCountingBegan) {
  const auto start = std::chrono::system_clock::time_point(std::chrono::hours(1000));
  const auto snapshot = Registry(1000, start).publish({});
  EXPECT_EQ(snapshot->start, start);
  EXPECT_GT(snapshot->time, start);
}

TEST(Registry, HistogramKeepsBucketsAndSumsInSeconds) {
  auto r = registry();
  SlotCounts c{};
  c.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_LATENCY + 3) = 5;
  c.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_LATENCY + FTAP_HIST_BUCKETS) = 1;
  c.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_LATENCY + FTAP_HIST_SUM) = 2'500'000'000;
  r.add(c, "");
  const auto value = find(*r.publish({}), FamilyId::kRUN_QUEUE_LATENCY, {"kernel"});
  ASSERT_TRUE(value);
  const auto& h = *histogram_in(*value);
  EXPECT_EQ(h.counts.at(3), 5U);
  EXPECT_EQ(h.counts.at(FTAP_HIST_BUCKETS), 1U);
  EXPECT_DOUBLE_EQ(h.sum, 2.5);
}

TEST(Registry, SeriesOfOneFamilyStandTogetherInTableOrder) {
  auto r = registry();
  const auto snapshot = r.publish({{&stat(StatId::kPROCESS_RSS), {}, 1.0},
                                   {&stat(StatId::kREAD_ERRORS), {"b"}, std::uint64_t{1}},
                                   {&stat(StatId::kREAD_ERRORS), {"a"}, std::uint64_t{1}}});
  EXPECT_TRUE(std::ranges::is_sorted(snapshot->series, {}, [](const Series& s) { return s.stat->family; }));
}

TEST(Registry, TooManySeriesOfAFamilyAreRefusedAndCounted) {
  auto r = registry(20);
  std::vector<Series> many;
  for (int i = 0; i < 25; ++i)
    many.push_back({&stat(StatId::kREAD_ERRORS), {std::to_string(i)}, std::uint64_t{1}});
  const auto snapshot = r.publish(many);
  EXPECT_EQ(std::ranges::count(snapshot->series, FamilyId::kREAD_ERRORS,
                               [](const Series& s) { return s.stat->family; }),
            20);
  const auto dropped = find(*snapshot, FamilyId::kDROPPED_SERIES, {"flowtap_read_errors_total"});
  ASSERT_TRUE(dropped);
  EXPECT_EQ(std::get<std::uint64_t>(*dropped), 5U);
  EXPECT_EQ(find(*r.publish(many), FamilyId::kDROPPED_SERIES, {"flowtap_read_errors_total"}),
            Value(std::uint64_t{10}))
      << "those of all cycles";
  EXPECT_TRUE(find(*snapshot, FamilyId::kDROPPED_SERIES, {"process_threads"})) << "at 0 from the start";
  EXPECT_TRUE(std::ranges::is_sorted(snapshot->series, {}, [](const Series& s) { return s.stat->family; }));
}

// Their sums would count twice, so no backend finds them among the others.
TEST(Registry, SeriesForOtherExportersStandApart) {
  const std::vector<Series> outer{
      {&stat(StatId::kWORKLOAD_TASKS), {"cgroup", "", "", "", "/kubepods.slice"}, std::uint64_t{5}}};
  const auto snapshot = registry().publish({}, std::nullopt, {}, outer);
  EXPECT_FALSE(find(*snapshot, FamilyId::kWORKLOAD_TASKS, {"cgroup", "", "", "", "/kubepods.slice"}));
  ASSERT_EQ(snapshot->for_compat.size(), 1U);
  EXPECT_EQ(snapshot->for_compat[0].labels, outer[0].labels);
}

}  // namespace
}  // namespace flowtap::stats
