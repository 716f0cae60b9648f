// What flowtapd shows of a sched_ext scheduler that somebody else wrote. The kernel's part is a tree of the test's own, so that
// this runs on any kernel. The scheduler's part comes from a server on a real socket.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "tests/support/daemon/daemon.hpp"
#include "tests/support/metrics/scx_server.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRusty = "rusty_1.1.3_x86_64_unknown_linux_gnu";

class SchedExtOfOthers : public testing::Test {
 protected:
  // The machine's /sys without kernel/sched_ext.
  SchedExtOfOthers() {
    fs::remove(root.file("sys"));
    link_all("/sys", root.file("sys"), "kernel");
    link_all("/sys/kernel", root.file("sys/kernel"), "sched_ext");
    fs::create_directories(root.file("sys/kernel/sched_ext/root"));
    none_runs();
  }
  static void link_all(const fs::path& from, const fs::path& to, const std::string& but) {
    fs::create_directories(to);
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().filename() != but) fs::create_symlink(entry.path(), to / entry.path().filename());
  }
  void say(const std::string& name, const std::string& text) const {
    root.write("sys/kernel/sched_ext/" + name, text + "\n");
  }
  void none_runs() const {
    fs::remove(root.file("sys/kernel/sched_ext/root/ops"));
    fs::remove(root.file("sys/kernel/sched_ext/root/events"));
    say("state", "disabled");
    say("nr_rejected", "0");
  }
  void runs(int sequence, int kept) const {
    say("root/ops", kRusty);
    say("root/events", "SCX_EV_DISPATCH_KEEP_LAST " + std::to_string(kept));
    say("enable_seq", std::to_string(sequence));
    say("state", "enabled");
  }
  [[nodiscard]] std::unique_ptr<ScxServer> scheduler() const {
    return std::make_unique<ScxServer>(root.file("run/scx/root/stats"));
  }
  [[nodiscard]] static std::optional<double> of(const Daemon& daemon, const std::string& name,
                                                const Labels& labels) {
    const auto page = daemon.scrape();
    const auto found = page.all.find(series_key(name, labels));
    return found == page.all.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] static std::optional<double> total(const Daemon& daemon) {
    return of(daemon, "flowtap_scx_stats_total", {{"scheduler", kRusty}, {"stat", "total"}, {"member", ""}});
  }
  static DaemonOptions options() { return {.flags = {"--cycle", "100ms"}}; }

  const ScratchRoot root;
};

TEST_F(SchedExtOfOthers, TheKernelsAccountAndItsOwnAreInPrometheus) {
  Daemon daemon(root, options());
  daemon.wait_ready();
  EXPECT_EQ(of(daemon, "flowtap_sched_ext_state", {{"state", "disabled"}}), 1);
  EXPECT_FALSE(daemon.component("scx_stats")) << "nobody has such statistics";

  std::uint64_t told = 0;
  for (const int run : {1, 2}) {
    const auto server = scheduler();
    runs(run, 10 * run);
    ASSERT_TRUE(eventually([&] { return server->questions() > 1; })) << daemon.err();
    server->count(1234);
    ASSERT_TRUE(eventually([&] { return total(daemon) == static_cast<double>(told + 1234); }))
        << daemon.err();
    told += server->told();
    EXPECT_EQ(told, static_cast<std::uint64_t>(run) * 1234);
    EXPECT_EQ(of(daemon, "flowtap_scx_stats_current",
                 {{"scheduler", kRusty}, {"stat", "nodes.doms.load"}, {"member", "0/1"}}),
              1);
    const Component component = daemon.component("scx_stats").value();
    EXPECT_TRUE(component.up);
    EXPECT_EQ(component.detail,
              "6 values of the scheduler that runs, from " + root.file("run/scx/root/stats"));
    EXPECT_EQ(of(daemon, "flowtap_sched_ext_info", {{"scheduler", kRusty}}), 1);
    none_runs();
    ASSERT_TRUE(eventually([&] { return !daemon.component("scx_stats"); }));
  }
  EXPECT_EQ(
      of(daemon, "flowtap_sched_ext_events_total", {{"scheduler", kRusty}, {"event", "dispatch_keep_last"}}),
      30);
  EXPECT_FALSE(total(daemon));
  for (const char* what : {"sched_ext", "scx_stats"})
    EXPECT_EQ(of(daemon, "flowtap_read_errors_total", {{"what", what}}), 0) << what;
}

TEST_F(SchedExtOfOthers, WhatCannotBeReadIsAbsentAndCounted) {
  runs(1, 10);
  say("enable_seq", "many");
  const ScxServer server(root.file("run/scx/root/stats"), [](std::string_view) { return "nonsense"; });
  Daemon daemon(root, options());
  daemon.wait_ready();
  EXPECT_FALSE(of(daemon, "flowtap_sched_ext_enables_total", {}));
  EXPECT_GE(of(daemon, "flowtap_read_errors_total", {{"what", "sched_ext"}}), 1);
  ASSERT_TRUE(
      eventually([&] { return of(daemon, "flowtap_read_errors_total", {{"what", "scx_stats"}}) == 1; }));
  const Component component = daemon.component("scx_stats").value();
  EXPECT_FALSE(component.up);
  EXPECT_TRUE(component.detail.starts_with("the answer is not JSON that can be read")) << component.detail;
}

// This holds for a cycle of a minute, too: the watch has a clock of its own.
TEST_F(SchedExtOfOthers, ALongCycleDoesNotKeepItWaiting) {
  const auto server = scheduler();
  runs(1, 10);
  Daemon daemon(root, {.flags = {"--cycle", "1m"}});
  daemon.wait_ready();
  EXPECT_TRUE(eventually([&] { return server->questions() > 3; }));
}

}  // namespace
}  // namespace flowtap::test
