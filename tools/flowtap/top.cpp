#include "top.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "api/routes.hpp"
#include "api/stats_json.hpp"
#include "client.hpp"
#include "terminal.hpp"
#include "top_screen.hpp"

namespace flowtap::cli {
namespace {

// How soon to ask again when the daemon's cycle has not ended since, or it has no totals yet.
constexpr std::chrono::milliseconds kAgain{100};

Answer<api::StatsReading> read_stats(const std::string& state_dir) {
  auto body = ask(state_dir, api::kStatsPath);
  if (!body) return std::unexpected(std::move(body).error());
  auto reading = api::stats_from_json(*body);
  if (!reading) return std::unexpected(Failure{std::move(reading).error(), kFailure});
  return std::move(*reading);
}

/// Types that no scheduler of this machine ever uses only take room.
std::vector<stats::SchedulerRates> without_unused(std::vector<stats::SchedulerRates> rates,
                                                  const std::vector<stats::SchedulerTotals>& totals) {
  for (std::size_t i = 0; i < rates.size(); ++i)
    std::erase_if(rates[i].types, [&used = totals[i].types](const stats::TypeRate& t) {
      const auto found = std::ranges::find(used, t.type, &stats::TypeTotal::type);
      return found == used.end() || found->total == 0;
    });
  return rates;
}

class Top {
 public:
  Top(const TopOptions& options, Keyboard& keyboard) : options_(options), keyboard_(keyboard) {}

  ExitCode run(bool live);

 private:
  std::optional<ExitCode> begin();
  Answer<bool> advance();
  bool print() const;

  const TopOptions& options_;
  Keyboard& keyboard_;
  std::optional<api::StatsReading> last_;
  Interval interval_;
};

/// Asks for totals. True when they end an interval that began with the ones before.
Answer<bool> Top::advance() {
  auto now = read_stats(options_.state_dir);
  if (!now) return std::unexpected(std::move(now).error());
  const bool first = !last_;
  if (!first && now->cycle == last_->cycle && now->time == last_->time) return false;
  if (!first) {
    interval_.seconds = (now->time - last_->time).count();
    interval_.schedulers = without_unused(
        stats::scheduler_rates(last_->schedulers, now->schedulers, interval_.seconds), now->schedulers);
  }
  interval_.end = now->time.count();
  last_ = std::move(*now);
  return !first;
}

/// The first totals decide whether there is something to show at all. A daemon that has just started gets a
/// moment.
std::optional<ExitCode> Top::begin() {
  static constexpr int kTries = 50;
  for (int i = 1;; ++i) {
    const auto first = advance();
    if (first) return std::nullopt;
    if (!first.error().not_yet || i == kTries) {
      complain(first.error().error);
      return first.error().exit;
    }
    if (keyboard_.wait(kAgain) == Event::kQuit) return kOk;
  }
}

/// False when nobody reads on.
bool Top::print() const {
  const std::string text = options_.json ? top_json(interval_) : top_block(interval_);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fputc('\n', stdout) != EOF &&
         std::fflush(stdout) == 0;
}

ExitCode Top::run(bool live) {
  using Clock = std::chrono::steady_clock;
  if (const auto end = begin()) return *end;
  std::optional<LiveScreen> screen;
  if (live) screen.emplace();
  const Style style = style_of(STDOUT_FILENO, options_.color);
  std::string message = "counting ...";
  std::uint64_t shown = 0;
  auto next = Clock::now() + options_.interval;
  while (true) {
    if (screen) screen->draw(top_screen(interval_, message, screen->size(), style));
    const Event event = keyboard_.wait(std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()));
    if (event == Event::kQuit) return kOk;
    if (event == Event::kRedraw) continue;
    const auto complete = advance();
    const bool same_cycle = complete && !*complete;
    next = Clock::now() + (same_cycle ? std::min(options_.interval, kAgain) : options_.interval);
    if (same_cycle) continue;
    if (!complete && !screen) {
      complain(complete.error().error);
      return complete.error().exit;
    }
    message = complete ? "" : complete.error().error.what;
    if (!complete) continue;
    if (!screen && !print()) return kFailure;
    if (++shown == options_.count) return kOk;
  }
}

}  // namespace

ExitCode run_top(const TopOptions& options) {
  const bool live = !options.json && ::isatty(STDOUT_FILENO) == 1;
  auto keyboard = Keyboard::open(live);
  if (!keyboard) {
    complain(keyboard.error());
    return kFailure;
  }
  return Top(options, *keyboard).run(live);
}

}  // namespace flowtap::cli
