#include "telemetry/node_exporter/node_exporter_page.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "telemetry/node_exporter/readers.hpp"
#include "telemetry/node_exporter/source.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node_exporter/pages.hpp"

namespace flowtap::telemetry {
namespace {

using node_exporter::series_of;
using node_exporter::Source;

std::string success_of(const char* collector) {
  return std::string("node_scrape_collector_success{collector=\"") + collector + "\"}";
}

TEST(NodeExporterPage, SaysOfEachCollectorWhetherItHasRead) {
  test::FileTree tree;
  tree.file("proc/meminfo", "MemTotal: 1 kB\n").file("proc/vmstat", "pgfault x\npgmajfault 3\n");
  const auto all = series_of(NodeExporterPage(tree.root()).read());
  EXPECT_EQ(all.at(success_of("meminfo")), 1);
  EXPECT_EQ(all.at(success_of("vmstat")), 0) << "a line was not understood";
  EXPECT_EQ(all.at("node_vmstat_pgmajfault"), 3) << "the others are there";
  EXPECT_EQ(all.at(success_of("hwmon")), 0) << "the node has none";
  EXPECT_EQ(all.at(success_of("uname")), 1);
  EXPECT_TRUE(all.contains("node_scrape_collector_duration_seconds{collector=\"uname\"}"));
  EXPECT_EQ(all.at("node_textfile_scrape_error"), 0) << "nobody has to write text files";
}

/// Reads until the page has this series. A lane that is late is a page behind, and on a busy machine each may be.
std::map<std::string, double> page_with(NodeExporterPage& page, const char* series) {
  std::map<std::string, double> all;
  EXPECT_TRUE(test::eventually([&] {
    std::this_thread::sleep_for(NodeExporterPage::kLeast);
    all = series_of(page.read());
    return all.contains(series);
  })) << series;
  return all;
}

// A pipe that nobody writes to stands for a file that hangs.
TEST(NodeExporterPage, AFileThatHangsTakesItsLaneAndNothingElse) {
  test::FileTree tree;
  tree.file("proc/meminfo", "MemTotal: 1 kB\n");
  tree.file("var/lib/prometheus/node-exporter/a.prom", "a 1\n");
  const std::string hangs = tree.root() + "/proc/vmstat";
  ASSERT_EQ(::mkfifo(hangs.c_str(), 0600), 0);
  {
    NodeExporterPage page(tree.root(), std::chrono::milliseconds(200));
    const auto all = page_with(page, "a");
    EXPECT_FALSE(all.contains("node_memory_MemTotal_bytes"));
    EXPECT_EQ(all.at(success_of("meminfo")), 0);
    EXPECT_EQ(all.at(success_of("textfile")), 1);
    std::this_thread::sleep_for(NodeExporterPage::kLeast);
    EXPECT_EQ(series_of(page.read()).at(success_of("meminfo")), 0) << "it hangs still";

    // Its end is read now, and the lane is back.
    {
      const Fd writer(::open(hangs.c_str(), O_WRONLY | O_CLOEXEC));
    }
    std::filesystem::remove(hangs);
    EXPECT_EQ(page_with(page, "node_memory_MemTotal_bytes")["node_memory_MemTotal_bytes"], 1024);
  }
}

TEST(NodeExporterPage, HoweverManyAskTheFilesAreReadTenTimesASecondAtMost) {
  test::FileTree tree;
  tree.file("proc/meminfo", "MemTotal: 1 kB\n");
  auto now = std::chrono::steady_clock::time_point() + std::chrono::hours(1);
  NodeExporterPage page(tree.root(), NodeExporterPage::kLimit, [&now] { return now; });
  const auto first = series_of(page.read());
  EXPECT_EQ(first.at("node_memory_MemTotal_bytes"), 1024);
  tree.file("proc/meminfo", "MemTotal: 2 kB\n");
  now += NodeExporterPage::kLeast - std::chrono::nanoseconds(1);
  EXPECT_EQ(series_of(page.read()), first);
  now += std::chrono::nanoseconds(1);
  EXPECT_EQ(series_of(page.read()).at("node_memory_MemTotal_bytes"), 2048);
  EXPECT_EQ(series_of(page.read()).at("node_memory_MemTotal_bytes"), 2048);
}

// A pipe is read to its end by each writer that comes and goes: a lane that takes longer than the limit, each time.
TEST(NodeExporterPage, ALaneThatAlwaysTakesTooLongIsAPageBehind) {
  test::FileTree tree;
  tree.file("proc/meminfo", "MemTotal: 1 kB\n");
  const std::string slow = tree.root() + "/proc/vmstat";
  ASSERT_EQ(::mkfifo(slow.c_str(), 0600), 0);
  NodeExporterPage page(tree.root(), std::chrono::milliseconds(200));
  EXPECT_FALSE(series_of(page.read()).contains("node_memory_MemTotal_bytes"));
  {
    const Fd writer(::open(slow.c_str(), O_WRONLY | O_CLOEXEC));
  }
  const auto behind = page_with(page, "node_memory_MemTotal_bytes");
  EXPECT_EQ(behind.at(success_of("meminfo")), 1);
  std::this_thread::sleep_for(NodeExporterPage::kLeast);
  EXPECT_EQ(series_of(page.read()).at(success_of("meminfo")), 0) << "it has not come to its end since";
  {
    const Fd writer(::open(slow.c_str(), O_WRONLY | O_CLOEXEC));
  }
}

TEST(NodeExporterPage, WhoeverAsksMeanwhileHasTheSameReading) {
  const test::FileTree tree;
  constexpr int kAskers = 4;
  std::latch all(kAskers);
  std::atomic<int> looks = 0;
  // Nobody begins to read before all have asked. After that only the end of a reading is looked up.
  NodeExporterPage page(tree.root(), NodeExporterPage::kLimit, [&] {
    const std::chrono::steady_clock::time_point start(std::chrono::hours(1));
    const int look = ++looks;
    if (look > kAskers) return start + std::chrono::hours(look);
    all.arrive_and_wait();
    return start;
  });
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < kAskers; ++i) askers.emplace_back([&page] { static_cast<void>(page.read()); });
  }
  EXPECT_EQ(looks, kAskers + 1) << "one reading, and not four";
}

TEST(NodeExporterPage, OneCollectorLeavesRoomForTheOthers) {
  test::FileTree tree;
  std::string backends = "TCP  0A600001:01BB rr\n";
  for (unsigned i = 0; i < node_exporter::kMostOfReader; ++i) {
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "  -> %08X:192B Masq 1 3 1\n", i);
    backends += line.data();
  }
  tree.file("proc/1/net/ip_vs_stats", "a\nb\n 1 2 3 4 5\n").file("proc/1/net/ip_vs", backends);
  tree.file("proc/meminfo", "MemTotal: 1 kB\n");
  const auto all = series_of(NodeExporterPage(tree.root(), std::chrono::minutes(1)).read());
  EXPECT_EQ(all.at(success_of("ipvs")), 0);
  EXPECT_EQ(all.at(success_of("meminfo")), 1);
  EXPECT_EQ(all.at("node_memory_MemTotal_bytes"), 1024);
}

TEST(NodeExporterPage, APipeAmongTheTextFilesIsAnErrorAndHoldsUpNobody) {
  test::FileTree tree;
  const std::string folder = tree.root() + "/var/lib/prometheus/node-exporter";
  tree.file("var/lib/prometheus/node-exporter/good.prom", "good 1\n");
  ASSERT_EQ(::mkfifo((folder + "/pipe.prom").c_str(), 0600), 0);
  const auto all = series_of(NodeExporterPage(tree.root()).read());
  EXPECT_EQ(all.at("node_textfile_scrape_error"), 1);
  EXPECT_EQ(all.at("good"), 1);
}

TEST(NodeExporterSource, OpensSoManyFilesInOneReadingAndNoMore) {
  test::FileTree tree;
  tree.file("a", "1\n");
  Source from("", "", tree.root());
  for (std::size_t i = 0; i < Source::kMostFiles; ++i) EXPECT_EQ(from.number(from.root("/a")), 1);
  EXPECT_FALSE(from.failed());
  EXPECT_EQ(from.number(from.root("/a")), std::nullopt);
  EXPECT_TRUE(from.failed());
  from.begin();
  EXPECT_EQ(from.number(from.root("/a")), 1);
}

TEST(NodeExporterSource, NumbersAsTheKernelWritesThem) {
  EXPECT_EQ(node_exporter::number_in("0x1003"), 4099);
  EXPECT_EQ(node_exporter::number_in("-1"), -1);
  EXPECT_EQ(node_exporter::number_in("2.5"), 2.5);
  for (const char* bad :
       {"", "0x", "0xg", "1 2", "N/A (no PMA)", "inf", "nan", "1e999", "--1", "<unsupported>"})
    EXPECT_EQ(node_exporter::number_in(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace flowtap::telemetry
