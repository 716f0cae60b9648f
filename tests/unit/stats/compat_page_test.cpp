#include "stats/compat/page.hpp"

#include <gtest/gtest.h>

#include "stats/compat/scrape_collectors.hpp"

namespace flowtap::stats::compat {
namespace {

TEST(CompatPage, NamesAndLabelsAreMadeValid) {
  Page page;
  EXPECT_TRUE(page.add("node_memory_A-b", PageKind::kGauge, "x\ny", {{"device", "e\x1b[2Jth"}}, 1));
  const auto& [name, family] = *page.families().begin();
  EXPECT_EQ(name, "node_memory_A_b");
  EXPECT_EQ(family.help, "x\\ny");
  EXPECT_EQ(family.samples.begin()->first.front().second, "e\\x1b[2Jth");
}

TEST(CompatPage, ASeriesIsThereOnce) {
  Page page;
  EXPECT_TRUE(page.add("a", PageKind::kGauge, "first", {{"x", "1"}}, 1));
  EXPECT_FALSE(page.add("a", PageKind::kCounter, "second", {{"x", "1"}}, 2));
  Page other;
  EXPECT_TRUE(other.add("a", PageKind::kCounter, "third", {{"x", "1"}}, 3));
  EXPECT_TRUE(other.add("a", PageKind::kCounter, "third", {{"x", "2"}}, 3));
  page.merge(std::move(other));
  EXPECT_EQ(page.families().at("a").samples.size(), 2U);
  EXPECT_EQ(page.families().at("a").samples.at({{"x", "1"}}), 1);
  EXPECT_EQ(page.families().at("a").kind, PageKind::kGauge);
}

TEST(CompatPage, HasBounds) {
  Page page;
  for (std::size_t i = 0; i < Page::kMostFamilies; ++i)
    EXPECT_TRUE(page.add("f" + std::to_string(i), PageKind::kGauge, "x", {}, 1));
  EXPECT_FALSE(page.add("one_more", PageKind::kGauge, "x", {}, 1));
  EXPECT_TRUE(page.full());
  Page small(2);
  EXPECT_TRUE(small.add("a", PageKind::kGauge, "x", {{"i", "1"}}, 1));
  EXPECT_TRUE(small.add("a", PageKind::kGauge, "x", {{"i", "2"}}, 1));
  EXPECT_FALSE(small.full());
  EXPECT_FALSE(small.add("a", PageKind::kGauge, "x", {{"i", "3"}}, 1));
  EXPECT_TRUE(small.full());
}

TEST(CompatPage, CollectorsOfOurTableSayHowTheyDid) {
  Snapshot snapshot;
  snapshot.series = {{&stat(StatId::kCOLLECTOR_DURATION), {"cpu"}, 0.25},
                     {&stat(StatId::kNODE_CPU), {"0", "idle"}, 7.5},
                     {&stat(StatId::kENERGY_PART), {"hwmon", "x", ""}, 7.5}};
  Page page;
  add_scrape_collectors(snapshot, page);
  const auto& took = page.families().at("node_scrape_collector_duration_seconds").samples;
  const auto& success = page.families().at("node_scrape_collector_success").samples;
  EXPECT_EQ(took.at({{"collector", "cpu"}}), 0.25);
  EXPECT_EQ(took.at({{"collector", "stat"}}), 0.25) << "the same file";
  EXPECT_EQ(success.at({{"collector", "cpu"}}), 1);
  EXPECT_EQ(success.at({{"collector", "stat"}}), 0);
  EXPECT_EQ(success.at({{"collector", "rapl"}}), 0) << "only a zone of powercap is RAPL's";
}

}  // namespace
}  // namespace flowtap::stats::compat
