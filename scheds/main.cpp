// flowtap-sched: one of our sched_ext schedulers by itself, without flowtapd.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigtimedwait is POSIX's

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "base/complaint.hpp"
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

int refuse(const Error& error, int status) {
  std::cerr << complaint("flowtap-sched", error);
  return status;
}

// Waits a second, or until it is told to end.
bool told_to_end(const sigset_t& signals) {
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  return ::sigtimedwait(&signals, nullptr, &second) > 0;
}

// Runs until somebody ends it, or the scheduler is given up.
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
    if (keeper.given_up()) return refuse(keeper.health().error(), kFailure);
  } while (!told_to_end(signals));
  return 0;
}

struct Wanted {
  std::string scheduler;
  bool report = false;
};

std::string names() {
  return fmt::format("{}", fmt::join(scheds::kSchedulerNames, ", "));
}

void declare(CLI::App& app, Wanted& wanted) {
  app.add_option("SCHEDULER", wanted.scheduler,
                 fmt::format("The scheduler to run: {}.", fmt::join(scheds::kSchedulerNames, " or ")))
      ->type_name("")
      ->required();
  app.add_flag("--report", wanted.report, "Show every second how tasks came to their CPUs.");
  app.set_version_flag("--version", FLOWTAP_VERSION, "Print the version and exit.");
  app.set_help_flag("-h,--help", "Print this text and exit.");
  app.allow_extras();  // we write the message: CLI11's words are no sentences, and change with its version
}

// We write this message as well, for the same reason.
Status check_values(std::span<const char* const> words) {
  for (const std::string_view word : words)
    for (const std::string_view flag : {"--report", "--version", "--help"})
      if (word.starts_with(flag) && word.substr(flag.size()).starts_with('='))
        return fail(std::string(flag) + " takes no value", "leave out the = and what follows it");
  return {};
}

Status check(const Wanted& wanted, const std::vector<std::string>& unknown) {
  if (!unknown.empty() && unknown.front().starts_with('-'))
    return fail("unknown flag " + in_quotes(unknown.front()), "flowtap-sched --help lists all flags");
  if (wanted.scheduler.empty())
    return fail("no scheduler is named", "flowtap-sched NAME, one of: " + names());
  if (std::ranges::find(scheds::kSchedulerNames, wanted.scheduler) == scheds::kSchedulerNames.end())
    return std::unexpected(scheds::start_scheduler(wanted.scheduler, {}).error());
  if (!unknown.empty())
    return fail("unexpected argument " + in_quotes(unknown.front()),
                "the kernel runs one scheduler at a time");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (const Status right = check_values({argv, static_cast<std::size_t>(argc)}); !right)
    return refuse(right.error(), kUsage);
  CLI::App app(
      "Runs one of flowtap's sched_ext schedulers. When it ends, the kernel's own scheduler takes over "
      "again.",
      "flowtap-sched");
  Wanted wanted;
  declare(app, wanted);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::RequiredError&) {
    wanted.scheduler.clear();  // told below
  } catch (const CLI::ParseError& error) {
    return refuse({.what = error.what(), .hint = "flowtap-sched --help lists all flags"}, kUsage);
  }
  if (const Status right = check(wanted, app.remaining()); !right) return refuse(right.error(), kUsage);
  const std::string& name = wanted.scheduler;
  auto keeper = Keeper::start(
      name, [name, options = scheds::StartOptions{}] { return scheds::start_scheduler(name, options); },
      Keeper::Clock::now());
  if (!keeper) return refuse(keeper.error(), kFailure);
  return keep(std::move(*keeper), wanted.report);
}
