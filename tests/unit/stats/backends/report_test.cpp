#include "stats/backends/report.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>

#include "base/fd.hpp"
#include "stats/backends/terminal.hpp"
#include "tests/support/metrics/snapshots.hpp"

namespace flowtap::stats {
namespace {

using test::SnapshotScript;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TEST(Report, SharesAddUpToAHundredPercent) {
  const std::vector<std::vector<std::uint64_t>> cases = {
      {1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1},
      {999, 1},
      {1},
      {5, 0, 5},
      {1, 1'000'000'000'000},
      std::vector<std::uint64_t>(18, 3),
      std::vector<std::uint64_t>(3, std::numeric_limits<std::uint64_t>::max())};
  for (const auto& counts : cases) {
    const auto shares = shares_in_tenths(counts);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0U), 1000U);
  }
  EXPECT_EQ(shares_in_tenths(std::vector<std::uint64_t>{0, 0}), (std::vector<unsigned>{0, 0}));
  EXPECT_EQ(shares_in_tenths(std::vector<std::uint64_t>{1, 1, 1}), (std::vector<unsigned>{334, 333, 333}));
}

TEST(Report, QuantilesHaveThreeDigits) {
  EXPECT_EQ(quantile_text(histogram_edge(0)), "1.02 µs");
  EXPECT_EQ(quantile_text(histogram_edge(10)), "1.05 ms");
  EXPECT_EQ(quantile_text(histogram_edge(17)), "134 ms");
  EXPECT_EQ(quantile_text(histogram_edge(FTAP_HIST_BUCKETS - 1)), "17.2 s");
  EXPECT_EQ(quantile_text(std::numeric_limits<double>::infinity()), "> 17.2 s");
  EXPECT_EQ(quantile_text(std::nullopt), "-");
}

SnapshotPtr first(SnapshotScript& script) {
  HistogramValue latency;
  latency.counts[3] = 2;
  latency.counts.back() = 1;
  script.dispatched(StatId::kWSYNC, 20);
  script.dispatched(StatId::kPREV_IDLE, 40);
  script.dispatched(StatId::kQUEUED, 0);
  script.set(StatId::kLATENCY, {"kernel"}, latency);
  return script.next(std::chrono::seconds(2));
}

constexpr const char* kFirstTable =
    "flowtap  2026-01-02T03:04:07.000Z  last 2.0 s\n"
    "\n"
    "kernel             count     per second    share\n"
    "  wsync               20           10.0     33.3 %\n"
    "  prev_idle           40           20.0     66.7 %\n"
    "  total               60           30.0    100.0 %\n"
    "  run-queue latency  p50 ≤ 8.19 µs  p99 > 17.2 s\n";

std::string written(std::FILE* file) {
  std::string text(4096, '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(::fileno(file), text.data(), text.size(), 0))));
  return text;
}

TEST(Terminal, PlainTextWhereThereIsNoTerminal) {
  const File file(std::tmpfile(), &std::fclose);
  Terminal backend(file.get());
  SnapshotScript script;
  const SnapshotPtr snapshot = first(script);
  ASSERT_TRUE(backend.publish(snapshot));
  EXPECT_EQ(written(file.get()), std::string(kFirstTable) + "\n");
  ASSERT_TRUE(backend.publish(snapshot));  // the same again draws nothing
  EXPECT_EQ(written(file.get()), std::string(kFirstTable) + "\n");
  script.dispatched(StatId::kQUEUED, 5);
  ASSERT_TRUE(backend.publish(script.next()));
  const std::string second = written(file.get()).substr(std::string(kFirstTable).size() + 1);
  EXPECT_NE(second.find("  queued            5            5.0    100.0 %\n"), std::string::npos) << second;
  EXPECT_NE(second.find("p50 -  p99 -\n"), std::string::npos) << second;
}

TEST(Terminal, ColumnsStandUnderTheirHeadings) {
  const SchedulerRates scheduler{
      "a_scheduler_with_a_very_long_name_indeed", {{"x", 3, 1.5, 1}}, 3, 1.5, {}, {}};
  const std::string table = report_table(std::vector{scheduler}, "t");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < table.size();) {
    const auto end = table.find('\n', at);
    lines.push_back(table.substr(at, end - at));
    at = end + 1;
  }
  EXPECT_EQ(lines.at(2).find(" count") + 6, lines.at(3).find(" 3 ") + 2) << table;
}

TEST(Terminal, DrawsInPlaceOnATerminalAndLetsNoNameCommandIt) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd reader(master);
  const File file(::fdopen(slave, "w"), &std::fclose);
  Terminal backend(file.get());
  SnapshotScript script;
  script.set(StatId::kWSYNC, {"evil\x1b]0;x\a", "wsync"}, std::uint64_t{1});
  ASSERT_TRUE(backend.publish(script.next()));
  std::string seen(8192, '\0');
  seen.resize(static_cast<std::size_t>(::read(reader.get(), seen.data(), seen.size())));
  EXPECT_TRUE(seen.starts_with("\x1b[2J\x1b[H"));
  EXPECT_TRUE(seen.ends_with("\x1b[J"));
  EXPECT_NE(seen.find(R"(evil\x1b]0;x\x07)"), std::string::npos) << seen;
  ASSERT_TRUE(backend.publish(script.next()));
  seen.resize(8192);
  seen.resize(static_cast<std::size_t>(::read(reader.get(), seen.data(), seen.size())));
  EXPECT_TRUE(seen.starts_with("\x1b[Hflowtap")) << seen;
}

TEST(Terminal, AReaderThatStopsMissesWholeTables) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  ASSERT_EQ(::fcntl(reader.get(), F_SETFL, O_NONBLOCK), 0);
  const File file(::fdopen(ends[1], "w"), &std::fclose);
  Terminal backend(file.get());
  SnapshotScript script;
  (void)first(script);
  constexpr std::size_t kOthers = 40;  // so that a table is larger than a write
  for (std::size_t i = 0; i < kOthers; ++i)
    script.set(StatId::kWSYNC, {"scheduler" + std::to_string(i), "wsync"}, std::uint64_t{1});
  while (backend.publish(script.next())) {  // until the pipe is full
  }
  EXPECT_FALSE(backend.health().up);
  EXPECT_FALSE(backend.publish(script.next()));
  std::string all;
  const auto drain = [&] {
    std::string chunk(65536, '\0');
    ssize_t n = 0;
    while ((n = ::read(reader.get(), chunk.data(), chunk.size())) > 0)
      all.append(chunk, 0, static_cast<std::size_t>(n));
  };
  drain();
  EXPECT_TRUE(backend.publish(script.next()));
  drain();
  EXPECT_TRUE(backend.health().up);
  // Every table that was begun is complete: the number of schedulers is right.
  std::size_t begun = 0;
  std::size_t ended = 0;
  for (std::size_t at = 0; (at = all.find("flowtap  ", at)) != std::string::npos; ++at) ++begun;
  for (std::size_t at = 0; (at = all.find("p99", at)) != std::string::npos; ++at) ++ended;
  EXPECT_EQ(begun * (1 + kOthers), ended);
  EXPECT_GT(begun, 2U);
}

}  // namespace
}  // namespace flowtap::stats
