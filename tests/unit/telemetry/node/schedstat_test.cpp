#include "telemetry/node/schedstat.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

constexpr std::string_view kLines =
    "timestamp 4295034321\n"
    "cpu0 0 0 1000 200 300 100 2045936778163039 343796328169361 4767485306\n"
    "domain0 00000003 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "cpu1 0 0 0 0 0 0 1904686152592476 364107263788241 5145567945\n";

TEST(Schedstat, EachCpuOfEachVersion) {
  for (const auto* version : {"15", "16", "17"}) {
    FileTree tree;
    tree.file("schedstat", "version " + std::string(version) + "\n" + std::string(kLines));
    SchedstatCollector collector(tree.root());
    const Collected read = collected_by(collector);
    EXPECT_EQ(read.unread, 0U);
    const std::map<std::string, double> expected{
        {"schedstat_running_seconds_total{cpu=0}", 2045936.778163039},
        {"schedstat_waiting_seconds_total{cpu=0}", 343796.328169361},
        {"schedstat_timeslices_total{cpu=0}", 4767485306},
        {"schedstat_running_seconds_total{cpu=1}", 1904686.152592476},
        {"schedstat_waiting_seconds_total{cpu=1}", 364107.263788241},
        {"schedstat_timeslices_total{cpu=1}", 5145567945}};
    EXPECT_EQ(by_name(read), expected) << version;
  }
}

TEST(Schedstat, OfAnUnknownVersionNothing) {
  for (const auto* first :
       {"version 14", "version 18", "version", "version x", "cpu0 1 2 3 4 5 6 7 8 9", ""}) {
    Collected out;
    parse_schedstat(std::string(first) + "\n" + std::string(kLines), out);
    EXPECT_EQ(out.unread, 1U) << first;
    EXPECT_TRUE(out.series.empty()) << first;
  }
}

TEST(Schedstat, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  Collected out;
  parse_schedstat(
      "version 15\ncpu0 1 2 3 4 5 6 7 8\ncpux 1 2 3 4 5 6 7 8 9\ncpu 1 2 3 4 5 6 7 8 9\ncpu1 1 2 3 4 5 6 7 8 "
      "-9\n"
      "cpu2 1 2 3 4 5 6 7 8 9\ncpu2 1 2 3 4 5 6 7 8 9",
      out);
  EXPECT_EQ(out.unread, 5U);
  EXPECT_EQ(by_name(out).at("schedstat_timeslices_total{cpu=2}"), 9);
  EXPECT_EQ(out.series.size(), 3U);
}

TEST(Schedstat, AKernelWithoutItHasNothingToCount) {
  FileTree tree;
  SchedstatCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 0U);
  tree.file("schedstat/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
