// flowtap-sched: one of our sched_ext schedulers by itself, without flowtapd.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigtimedwait is POSIX's

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/printable.hpp"
#include "scheds/lib/keeper.hpp"
#include "scheds/schedulers.hpp"
#include "stats/backends/terminal.hpp"
#include "stats/registry.hpp"

namespace {

using namespace flowtap;
using scheds::Keeper;

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr std::size_t kMostSeries = 1000;

int refuse(const Error& error) {
  std::cerr << "flowtap-sched: " << printable(error.what) << '\n';
  if (!error.hint.empty()) std::cerr << "hint: " << printable(error.hint) << '\n';
  return kFailure;
}

// Waits a second, or until it is told to end.
bool told_to_end(const sigset_t& signals) {
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  return ::sigtimedwait(&signals, nullptr, &second) > 0;
}

// Until somebody ends it, or the scheduler is given up.
int keep(Keeper keeper, bool report) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  stats::Registry registry(kMostSeries, std::chrono::system_clock::now());
  stats::Terminal terminal(stdout);
  std::cerr << "the scheduler " << keeper.name() << " runs; Ctrl-C ends it\n";
  do {
    const std::string news = keeper.look_around(Keeper::Clock::now());
    if (!news.empty()) std::cerr << printable(news) << '\n';
    stats::SlotCounts counts{};
    keeper.take(counts);
    registry.add_own(counts, keeper.name());
    if (report) (void)terminal.publish(registry.publish({}));
    if (keeper.given_up()) return refuse(keeper.health().error());
  } while (!told_to_end(signals));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs one of flowtap's sched_ext schedulers. Without it, the kernel's own goes on.",
               "flowtap-sched");
  std::string name;
  bool report = false;
  app.add_option("SCHEDULER", name, fmt::format("Which: {}.", fmt::join(scheds::kSchedulerNames, ", ")))
      ->required();
  app.add_flag("--report", report, "Show each second how tasks came to their CPUs.");
  app.set_version_flag("--version", FLOWTAP_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (std::ranges::find(scheds::kSchedulerNames, name) == scheds::kSchedulerNames.end()) {
    (void)refuse(scheds::start_scheduler(name, {}).error());
    return kUsage;
  }
  auto keeper =
      Keeper::start(name, [name] { return scheds::start_scheduler(name, {}); }, Keeper::Clock::now());
  if (!keeper) return refuse(keeper.error());
  return keep(std::move(*keeper), report);
}
