#include "scheds/lib/keeper.hpp"

#include <fmt/format.h>

#include <utility>

namespace flowtap::scheds {

Keeper::Keeper(std::string name, Start start) : name_(std::move(name)), start_(std::move(start)) {
  for (const std::string_view kind : exit_kinds()) exits_.emplace(kind, 0);
}

Result<Keeper> Keeper::start(std::string name, Start start, Clock::time_point now) {
  Keeper keeper(std::move(name), std::move(start));
  FTAP_TRY(keeper.run(now));
  return keeper;
}

Status Keeper::run(Clock::time_point now) {
  FTAP_TRY_ASSIGN(scheduler, start_());
  FTAP_TRY_ASSIGN(slots, scheduler->slots());
  scheduler_ = std::move(scheduler);
  slots_ = std::move(slots);
  started_ = now;
  next_start_.reset();
  health_ = {};
  return {};
}

void Keeper::stop() {
  next_start_.reset();
  if (!scheduler_) return;
  scheduler_.reset();
  slots_->take(over_);
  slots_.reset();
}

void Keeper::take(stats::SlotCounts& counts) {
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t i = 0; i < counts.at(c).size(); ++i)
      counts.at(c).at(i) += std::exchange(over_.at(c).at(i), 0);
  if (slots_) slots_->take(counts);
}

std::string Keeper::plan_next(const std::string& why, Clock::time_point now) {
  if (++failures_ >= kMostFailures) {
    health_ = fail(fmt::format("{}; it ended {} times and is not tried again", why, failures_),
                   "mend what ended it and start it again (flowtapd: SIGHUP); until then, the kernel's own "
                   "scheduler runs");
    return health_.error().what;
  }
  const auto pause = kFirstPause * (1U << (failures_ - 1));
  next_start_ = now + pause;
  health_ = fail(fmt::format("{}; next try in {} s", why, std::chrono::seconds(pause).count()),
                 "until then, the kernel's own scheduler runs");
  return health_.error().what;
}

std::string Keeper::ended(const Exit& exit, Clock::time_point now) {
  ++exits_.at(exit.kind);
  stop();
  const std::string why =
      fmt::format("the kernel ended the scheduler {} ({}): {}", name_, exit.kind, exit.sentence);
  if (exit.wanted) {
    health_ = fail(fmt::format("{}; somebody asked for that, so it is not started again", why),
                   "start it again when you want it (flowtapd: SIGHUP)");
    return health_.error().what;
  }
  if (now - started_ >= kGoodRun) failures_ = 0;
  if (!exit.restart) return plan_next(why, now);
  if (const Status again = run(now); !again) return plan_next(again.error().what, now);
  return fmt::format("{}; started anew", why);
}

std::string Keeper::look_around(Clock::time_point now) {
  if (scheduler_) {
    if (const auto exit = scheduler_->exited()) return ended(*exit, now);
    scheduler_->look_around();
    return {};
  }
  if (!next_start_ || now < *next_start_) return {};
  next_start_.reset();
  if (const Status again = run(now); !again) return plan_next(again.error().what, now);
  return fmt::format("the scheduler {} runs again", name_);
}

}  // namespace flowtap::scheds
