// What `flowtap status` and `flowtap top` show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/api/scripted_flows.hpp"
#include "tools/flowtap/flows.hpp"
#include "tools/flowtap/status.hpp"
#include "tools/flowtap/top/top_screen.hpp"

namespace flowtap::cli {
namespace {

constexpr Style kUtf8{.color = false, .utf8 = true};

Interval two_schedulers() {
  Interval interval{1000.0, 2.0, {}};
  interval.schedulers = {
      {"kernel",
       {{"prev_idle", 6000, 3000, 0.75}, {"queued", 2000, 1000, 0.25}, {"new", 0, 0, 0}},
       8000,
       4000,
       4.096e-6,
       std::numeric_limits<double>::infinity()},
      {"mine\x1b[2J", {{"dsq", 10, 5, 1}}, 10, 5, {}, {}},
  };
  return interval;
}

bool any_line(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [part](const std::string& line) { return line.contains(part); });
}

TEST(TopScreen, HasRateShareAndBar) {
  const auto lines = top_screen(two_schedulers(), "", {24, 80}, kUtf8);
  EXPECT_TRUE(lines[0].starts_with("flowtap top   "));
  EXPECT_TRUE(lines[0].contains("last 2.0 s"));
  EXPECT_TRUE(any_line(lines, "kernel"));
  EXPECT_TRUE(any_line(lines, "4,000/s"));
  EXPECT_TRUE(any_line(lines, "  prev_idle         3,000/s   75.0 %   ██████████████████████████████▊"));
  EXPECT_TRUE(any_line(lines, "25.0 %   ██████████"));
  EXPECT_TRUE(any_line(lines, "p50 ≤ 4.10 µs  p99 > 17.2 s"));
}

TEST(TopScreen, KeepsToItsSize) {
  for (std::size_t rows = 1; rows < 12; ++rows)
    for (std::size_t width = 1; width < 100; ++width) {
      const auto lines = top_screen(two_schedulers(), "a message", {rows, width}, kUtf8);
      EXPECT_LE(lines.size(), rows);
      for (const auto& line : lines) EXPECT_LE(columns(line), width) << line;
    }
}

TEST(TopScreen, TypesThatDidNothingGiveWayFirst) {
  EXPECT_TRUE(any_line(top_screen(two_schedulers(), "", {9, 80}, kUtf8), "new"));
  const auto small = top_screen(two_schedulers(), "", {8, 80}, kUtf8);
  EXPECT_FALSE(any_line(small, "new"));
  EXPECT_TRUE(any_line(small, "dsq"));
  EXPECT_TRUE(any_line(top_screen(two_schedulers(), "", {5, 80}, kUtf8), "more lines"));
}

TEST(TopScreen, ASchedulersNameCannotSteerTheTerminal) {
  const auto lines = top_screen(two_schedulers(), "bad \x1b[31m", {24, 80}, kUtf8);
  for (const auto& line : lines) EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  EXPECT_TRUE(any_line(lines, "mine\\x1b[2J"));
}

TEST(TopScreen, IsPlainWhereUtf8IsNotUnderstood) {
  for (const auto& line : top_screen(two_schedulers(), "", {24, 80}, Style{}))
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
}

TEST(TopBlock, IsTheReportTable) {
  const std::string block = top_block(two_schedulers());
  EXPECT_TRUE(block.starts_with("flowtap  1970-01-01T00:16:40.000Z  last 2.0 s\n")) << block;
  EXPECT_NE(block.find("prev_idle"), std::string::npos);
  EXPECT_EQ(block.find('\x1b'), std::string::npos);
}

TEST(TopJson, HasNumbersAndNullForWhatIsNone) {
  const std::string json = top_json(two_schedulers());
  EXPECT_TRUE(
      json.starts_with(R"({"time_seconds":1E3,"interval_seconds":2E0,"schedulers":[{"scheduler":"kernel",)"))
      << json;
  EXPECT_NE(json.find(R"("latency_p99_seconds":null)"), std::string::npos);
  EXPECT_NE(json.find(R"({"type":"prev_idle","count":6000,"rate":3E3,"share":7.5E-1})"), std::string::npos);
  EXPECT_EQ(json.find('\n'), std::string::npos);
}

TEST(StatusText, SaysWhatIsMissingAndTheWayOut) {
  api::StatusReport report;
  report.version = "1.2";
  report.kernel = "6.1.0";
  report.uptime_seconds = 61;
  report.components = {{"count", true, "tp_btf", ""},
                       {"sched_ext", false, "the kernel has none", "use 6.12"}};
  report.count.programs = {{"ftap_switch", true, 1000, 0.0001, 0}, {"ftap_new", false, {}, {}, {}}};
  report.count.cycle_seconds = 1;
  report.count.cycles = 1234;
  report.count.last_cycle_seconds = 2e-6;
  report.count.cpus_online = 2;
  report.count.cpus_possible = 4;
  report.backends = {{"statsd", false, 10, 2, "refused \x1b[2J"}};
  EXPECT_EQ(status_text(report, kUtf8),
            "flowtapd 1.2 on Linux 6.1.0, up 1 min 1 s\n"
            "\n"
            "  up    count      tp_btf\n"
            "  down  sched_ext  the kernel has none\n"
            "                   → use 6.12\n"
            "\n"
            "  cycles  every 1 s, 1,234 so far, the last took 2.00 µs\n"
            "  CPUs    2 online of 4\n"
            "\n"
            "  program      state      runs  per run  missed\n"
            "  ftap_switch  attached  1,000   100 ns       0\n"
            "  ftap_new     detached      -        -       -\n"
            "\n"
            "  backend  state  pending  lost  last error\n"
            "  statsd   down        10     2  refused \\x1b[2J\n");
}

TEST(StatusText, OfAnEmptyReportIsShort) {
  EXPECT_EQ(std::ranges::count(status_text({}, kUtf8), '\n'), 3);
  EXPECT_FALSE(status_text({}, kUtf8).contains("CPUs")) << "what is not known is not 0";
}

TEST(StatusText, ShowsTheStreamPathAndWhatItLost) {
  api::StatusReport report;
  report.stream.emplace();
  report.stream->backend = "sys_exit";
  report.stream->reason = "the kernel refuses fexit";
  report.stream->ring_bytes = 64U << 20U;
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .ends_with(
              "  log tap  sys_exit (the kernel refuses fexit), not pinned: capture ends with flowtapd\n"
              "  ring     64.0 MiB\n"
              "  lost     nothing\n"
              "  flows    0 open, 0 ended; streams open: 0, taps: 0\n"))
      << status_text(report, kUtf8);
  auto& stream = *report.stream;
  stream.pinned = true;
  stream.reason.clear();
  stream.ring_waiting = 2048;
  stream.lost_bytes = {1000, 0, 0, 234};
  stream.lost_events = 5;
  stream.no_slot = 6;
  stream.recursion_misses = 7;
  stream.journal = api::JournalStatus{1024, 4096, 1, 2, 0};
  stream.open_flows = 3;
  stream.flows_since = std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000));
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .ends_with("  log tap  sys_exit, pinned\n"
                     "  ring     64.0 MiB, 2.00 KiB waiting\n"
                     "  lost     1,234 bytes (ring_full 1000 B, quiet 234 B), 5 events, 6 streams "
                     "without a slot, 7 runs left out by "
                     "the kernel\n"
                     "  missing  nothing\n"
                     "  journal  1.00 KiB of 4.00 KiB in 1 segment, 2 write errors\n"
                     "  flows    3 open, 0 ended since 2023-11-14T22:13:20Z; streams open: 0, taps: 0\n"))
      << status_text(report, kUtf8);
  stream.recovery = {31'452'440, 0, 0};
  EXPECT_TRUE(status_text(report, kUtf8)
                  .contains("the kernel since the start, 31,451,206 bytes before it\n"
                            "  found    31,452,440 bytes again, in the runtimes' files\n  "
                            "missing  nothing\n  journal"))
      << status_text(report, kUtf8);
  stream.recovery = {0, 3000, 2000};
  EXPECT_TRUE(status_text(report, kUtf8)
                  .contains("the kernel since the start, 3,766 bytes before it\n"
                            "  missing  2,000 bytes for good, 3,000 bytes are still looked for\n"));
  stream.lost_bytes = {.unread = 17'120};
  EXPECT_TRUE(status_text(report, kUtf8).contains("  lost     17,120 bytes (unread 16.7 KiB), 5 events"))
      << status_text(report, kUtf8);
  stream.lost_bytes = {};
  stream.lost_events = stream.no_slot = 0;
  stream.recursion_misses.reset();
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .contains("  lost     nothing since the start, 5,000 bytes before it\n  missing  2,000 bytes"))
      << status_text(report, kUtf8);
  EXPECT_FALSE(status_text(report, kUtf8).contains("  names "));
  stream.unkept_names = {.too_long = 1, .no_map = 0, .no_room = 1200};
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .contains("  names    keep the state directory until 1,201 streams have ended: with another one, "
                    "they would have no name (1 name is too long, the kernel had no room for 1,200 names)\n"))
      << status_text(report, kUtf8);
  stream.unkept_names = {.too_long = 0, .no_map = 1, .no_room = 0};
  EXPECT_TRUE(status_text(report, kUtf8)
                  .contains("until 1 stream has ended: with another one, it would have no name "
                            "(the kernel refused a table for 1 name)\n"))
      << status_text(report, kUtf8);
  stream.unkept_names = {};
  stream.pinned_in_namespace = true;
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .contains("sys_exit, pinned: capture ends with the last process of flowtapd's mount namespace\n"));
  stream.differing = {"container/a-1\x1b", "container/b-2"};
  EXPECT_TRUE(status_text(report, kUtf8)
                  .contains("  differing  from what the runtime has kept (flowtapd's log says where): "
                            "container/a-1\\x1b, container/b-2\n"))
      << status_text(report, kUtf8);
  stream.differing.clear();
  stream.sources.idle_patterns = {{"stream.schedulers", "file//x\x1b", "nothing lists it"}};
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .contains("  warning  stream.schedulers: \"file//x\\x1b\" can fit nothing: nothing lists it\n"))
      << status_text(report, kUtf8);
  stream.sources = {{"/var/log/x\x1b"}, {{"/mnt/y\x1b", "it is on nfs4"}}, 2, 3, {}};
  EXPECT_TRUE(
      status_text(report, kUtf8)
          .contains("  sources  /var/log/x\\x1b not found, /mnt/y\\x1b is not captured: it is on nfs4, "
                    "2 files removed before they were opened\n"));
  stream.backend.reset();
  stream.reason = "no BTF\x1b";
  EXPECT_TRUE(status_text(report, kUtf8).contains("  log tap  nothing is captured: no BTF\\x1b\n"));
}

TEST(FlowsText, IsATableWithWhatIsMissingInRedAndAskedWhereNobodyKnows) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::system_clock::time_point(1'700'000'004s);
  api::FlowStatus process;
  process.id = "proc/7-99\x1b";
  process.bytes = 12;
  const auto table = flows_text({api::full_flow(), process}, now, kUtf8);
  EXPECT_EQ(
      table,
      "  group     pod         container  runtime        bytes   lines  found  missing  state  last byte  "
      "flow\n"
      "  checkout  shop/web-1  nginx      containerd  118 MiB+  1,000+    7 B    42 B?  open   2 s ago    "
      "pod/shop/web-1/3f0d6a1e/nginx/2\n"
      "  -         -           -          -               12 B       0    0 B      0 B  ended  -          "
      "proc/7-99\\x1b\n");
  EXPECT_TRUE(flows_text({process}, now, kUtf8).starts_with("  pod  container  runtime  bytes"))
      << "a column of its own only where there are groups";
  EXPECT_FALSE(flows_text({process}, now, kUtf8).contains("found"));
  process.audit = "differs";
  EXPECT_TRUE(flows_text({process}, now, kUtf8).contains("  ended, differs  "));
  const auto colored = flows_text({api::full_flow(), process}, now, Style{.color = true, .utf8 = true});
  EXPECT_TRUE(colored.contains("\x1b[1;31m  42 B?\x1b[0m")) << colored;
  EXPECT_FALSE(colored.contains("\x1b[1;31m    0 B")) << colored;
  EXPECT_EQ(flows_text({}, now, kUtf8), "no flows\n");
  process.audit.reset();
  process.streams = {{.name = "both", .capture = "none"}};
  EXPECT_TRUE(flows_text({process}, now, kUtf8).contains("  none   -  "))
      << flows_text({process}, now, kUtf8);
}

}  // namespace
}  // namespace flowtap::cli
