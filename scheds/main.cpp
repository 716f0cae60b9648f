// flowtap-sched: one of our sched_ext schedulers by itself, without flowtapd.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigtimedwait is POSIX's

#include <algorithm>
#include <chrono>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "base/command_line/program.hpp"
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

std::string names() {
  return fmt::format("{}", fmt::join(scheds::kSchedulerNames, ", "));
}

command_line::Command program() {
  command_line::Command sched{
      "flowtap-sched",
      "Runs one of flowtap's sched_ext schedulers. When it ends, the kernel's own scheduler takes over "
      "again."};
  sched
      .positional("SCHEDULER",
                  fmt::format("The scheduler to run: {}.", fmt::join(scheds::kSchedulerNames, " or ")))
      .required = true;
  sched.flag("--report", "Show every second how tasks came to their CPUs.");
  sched.flag("--version", "Print the version and exit.");
  sched.flag("-h,--help", "Print this text and exit.").asks_for_help = true;
  return sched;
}

// command_line::parse() accepts a value for a flag.
Status check_values(std::span<const char* const> words) {
  for (const std::string_view word : words)
    for (const std::string_view flag : {"--report", "--version", "--help"})
      if (word.starts_with(flag) && word.substr(flag.size()).starts_with('='))
        return fail(std::string(flag) + " takes no value", "leave out the = and what follows it");
  return {};
}

Status check(const std::string& scheduler, const std::vector<std::string>& unknown) {
  if (!unknown.empty() && unknown.front().starts_with('-'))
    return fail("unknown flag " + in_quotes(unknown.front()), "flowtap-sched --help lists all flags");
  if (scheduler.empty()) return fail("no scheduler is named", "flowtap-sched NAME, one of: " + names());
  if (std::ranges::find(scheds::kSchedulerNames, scheduler) == scheds::kSchedulerNames.end())
    return std::unexpected(scheds::start_scheduler(scheduler, {}).error());
  if (!unknown.empty())
    return fail("unexpected argument " + in_quotes(unknown.front()),
                "the kernel runs one scheduler at a time");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  if (const Status right = check_values(words); !right) return refuse(right.error(), kUsage);
  const auto given = command_line::parse(program(), words);
  if (given.has("--version")) {
    std::cout << FLOWTAP_VERSION << '\n';
    return 0;
  }
  if (!given.help.empty()) {
    std::cout << given.help;
    return 0;
  }
  if (given.problem && given.problem->fault != command_line::Fault::kNotGiven)
    return refuse({.what = given.problem->text, .hint = "flowtap-sched --help lists all flags"}, kUsage);
  const std::string name = given.value_of("SCHEDULER");
  if (const Status right = check(name, given.unknown); !right) return refuse(right.error(), kUsage);
  auto keeper = Keeper::start(
      name, [name, options = scheds::StartOptions{}] { return scheds::start_scheduler(name, options); },
      Keeper::Clock::now());
  if (!keeper) return refuse(keeper.error(), kFailure);
  return keep(std::move(*keeper), given.has("--report"));
}
