#include "count/scx_totals.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using stats::StatId;

constexpr const char* kRusty = "rusty_1.1.3_x86_64_unknown_linux_gnu";

std::optional<double> of(const ScxTotals& totals, StatId id, const std::vector<std::string>& labels) {
  std::vector<stats::Series> all;
  totals.append_samples(all);
  for (const stats::Series& s : all)
    if (s.stat->id == id && s.labels == labels) return std::get<double>(s.value);
  return std::nullopt;
}

std::optional<double> counter(const ScxTotals& totals, const std::string& scheduler, const std::string& stat,
                              const std::string& member = "") {
  return of(totals, StatId::kSCX_COUNTER, {scheduler, stat, member});
}

TEST(ScxCounts, TheNameWithItsVersionIsTheScheduler) {
  EXPECT_EQ(scx_count("rusty", "total"), ScxCount::kDelta);
  EXPECT_EQ(scx_count(kRusty, "total"), ScxCount::kDelta);
  EXPECT_EQ(scx_count("layered_1.0.15_g0123abc_x86_64", "layers.yield_ignore"), ScxCount::kDelta);
  EXPECT_EQ(scx_count("rustland", "nr_page_faults"), ScxCount::kTotal);
  EXPECT_EQ(scx_count("rustier", "total"), ScxCount::kNot);
  EXPECT_EQ(scx_count("lavd", "nr_sched"), ScxCount::kNot);
  EXPECT_EQ(scx_count(kRusty, "slice_us"), ScxCount::kNot);
  EXPECT_EQ(scx_count("", ""), ScxCount::kNot);
}

TEST(ScxTotals, WhatHappenedBetweenAnswersAddsUp) {
  ScxTotals totals;
  totals.note(kRusty, 1, true, {{"total", "", 500}, {"slice_us", "", 20000}});
  EXPECT_EQ(counter(totals, kRusty, "total"), 0) << "of which time is not known";
  totals.note(kRusty, 1, false, {{"total", "", 30}, {"slice_us", "", 20000}});
  totals.note(kRusty, 1, false, {{"total", "", 12}, {"slice_us", "", 5000}});
  EXPECT_EQ(counter(totals, kRusty, "total"), 42);
  EXPECT_EQ(of(totals, StatId::kSCX_GAUGE, {kRusty, "slice_us", ""}), 5000);
  totals.note(kRusty, 2, true, {{"total", "", 7}});
  totals.note(kRusty, 2, false, {{"total", "", 8}});
  EXPECT_EQ(counter(totals, kRusty, "total"), 50) << "nor falls when it is loaded anew";
  EXPECT_FALSE(of(totals, StatId::kSCX_GAUGE, {kRusty, "slice_us", ""})) << "it is not said any more";
}

TEST(ScxTotals, WhatIsCountedSinceTheBeginningDoesNotFall) {
  ScxTotals totals;
  const auto note = [&](std::uint64_t run, double value) {
    totals.note("rustland", run, false, {{"nr_page_faults", "", value}});
  };
  note(1, 5);
  note(1, 9);
  EXPECT_EQ(counter(totals, "rustland", "nr_page_faults"), 9);
  note(2, 9);
  EXPECT_EQ(counter(totals, "rustland", "nr_page_faults"), 18);
  note(2, 4);
  EXPECT_EQ(counter(totals, "rustland", "nr_page_faults"), 22) << "it began anew";
  totals.note("rustland", std::nullopt, false, {{"nr_page_faults", "", 5}});
  note(2, 6);
  EXPECT_EQ(counter(totals, "rustland", "nr_page_faults"), 24) << "the sequence could not be read once";
}

TEST(ScxTotals, EachMemberHasItsOwnAndOnlyThoseOfTheLastAnswerAreShown) {
  ScxTotals totals;
  totals.note("layered", 1, false, {{"layers.total", "batch", 3}, {"layers.total", "web", 4}});
  totals.note("layered", 1, false, {{"layers.total", "web", 1}});
  EXPECT_FALSE(counter(totals, "layered", "layers.total", "batch"));
  EXPECT_EQ(counter(totals, "layered", "layers.total", "web"), 5);
  totals.note("layered", 1, false, {{"layers.total", "batch", 2}});
  EXPECT_EQ(counter(totals, "layered", "layers.total", "batch"), 5) << "it came back";
  totals.forget();
  EXPECT_EQ(totals.shown(), 0U);
}

// scx_mitosis once went below 0 when it was set up anew: that made 2 to the power of 64 events.
TEST(ScxTotals, WhatNoCounterCanHaveIsRefusedAndCounted) {
  ScxTotals totals;
  totals.note("rusty", 1, false, {{"total", "", 1}});
  totals.note("rusty", 1, false, {{"total", "", 18446744073709551000.0}});
  totals.note("rusty", 1, false, {{"total", "", -3}});
  EXPECT_EQ(totals.refused(), 2U);
  totals.note("rusty", 1, false, {{"total", "", 1}});
  EXPECT_EQ(counter(totals, "rusty", "total"), 2);
}

TEST(ScxTotals, MembersThatCameAndWentAreForgottenOnlyWhenThereAreMany) {
  ScxTotals totals;
  for (int i = 0; i < 10'000; ++i)
    totals.note("layered", 1, false,
                {{"layers.total", "pod" + std::to_string(i), 1}, {"layers.total", "web", 1}});
  EXPECT_EQ(counter(totals, "layered", "layers.total", "web"), 10'000);
  totals.note("layered", 1, false, {{"layers.total", "pod9999", 1}, {"layers.total", "pod1", 1}});
  EXPECT_EQ(counter(totals, "layered", "layers.total", "pod9999"), 2);
  EXPECT_EQ(counter(totals, "layered", "layers.total", "pod1"), 1);
}

}  // namespace
}  // namespace flowtap
