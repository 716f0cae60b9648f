// What flowtapd uses when it has almost nothing to do: 110 pods, and 1,000, write a line a second each, with all
// defaults on and no requests.
#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <string_view>
#include <thread>

#include "tools/bench/load/pods.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWindows = 4;
constexpr auto kWindow = 5s;
constexpr auto kSpread = 5s;    // the pods start within this time, which is not measured
constexpr auto kSettled = 15s;  // the files of cgroups are read each second for the first ten

Status watch(pid_t pid, const std::string& what, std::string_view cpu_goal, std::string_view memory_goal) {
  Rounds percent;
  Rounds anonymous;
  for (int i = 0; i < kWindows; ++i) {
    FTAP_TRY_ASSIGN(before, process_cpu_ns(pid));
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWindow);
    FTAP_TRY_ASSIGN(after, process_cpu_ns(pid));
    const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - begin;
    percent.add(100 * (after - before) / wall.count());
    FTAP_TRY_ASSIGN(mib, anonymous_mib(pid));
    anonymous.add(mib);
  }
  print_row(what, percent, "% of a core", cpu_goal);
  print_row(what, anonymous, "MiB RssAnon", memory_goal);
  return {};
}

// Checks that all flows are there with all their bytes, and that nothing is missing.
Status check(const Flowtapd& daemon, std::size_t count, std::uint64_t written) {
  FlowTotals totals;
  const bool all = test::eventually(
      [&] {
        if (const auto now = daemon.totals("/" + std::string(PodCgroups::kIdStart))) totals = *now;
        return totals.bytes == written;
      },
      20s);
  print_row("- captured, of all that they wrote", fmt::format("{} of {}", totals.bytes, written), "bytes",
            "all");
  if (!all || totals.flows != count || totals.missing != 0)
    return fail(fmt::format("flowtapd has {} flows with {} bytes, {} missing, of {} pods with {}",
                            totals.flows, totals.bytes, totals.missing, count, written));
  return {};
}

Status run_with(std::size_t count, std::string_view cpu_goal, std::string_view memory_goal) {
  const test::ScratchRoot root;
  Flowtapd daemon(root);
  FTAP_TRY(daemon.wait_ready());
  std::this_thread::sleep_for(kSettled);
  FTAP_TRY(watch(daemon.pid(), "no pods", "", ""));
  FTAP_TRY_ASSIGN(pods, Pods::start(count, {.lines = 0, .ticking = true}, kSpread));
  std::this_thread::sleep_for(kSettled);
  FTAP_TRY(watch(daemon.pid(), fmt::format("{} pods, a line a second each", count), cpu_goal, memory_goal));
  return check(daemon, count, pods->stop());
}

Status run() {
  print_section(fmt::format("flowtapd idle, {} windows of {} s", kWindows, kWindow.count()));
  FTAP_TRY(run_with(110, "0.5", "40"));
  return run_with(1000, "3", "");
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  flowtap::bench::Pods::be_one(argc, argv);
  try {
    return flowtap::bench::finish(flowtap::bench::run());
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
