// Keeps a scheduler running. When the kernel has ended it, it is started again after growing pauses, until it is given
// up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "scheds/lib/scheduler.hpp"

namespace flowtap::scheds {

class Keeper {
 public:
  using Clock = std::chrono::steady_clock;
  using Start = std::function<Result<std::unique_ptr<Scheduler>>()>;

  /// The pause after the first of several bad ends; each further one takes twice as long.
  static constexpr std::chrono::seconds kFirstPause{1};
  /// The scheduler is given up after this many bad ends, if none of the runs between them lasted kGoodRun.
  static constexpr unsigned kMostFailures = 6;
  static constexpr std::chrono::minutes kGoodRun{10};

  /// Starts the scheduler. An Error says why it cannot run here; nothing is tried again then.
  [[nodiscard]] static Result<Keeper> start(std::string name, Start start, Clock::time_point now);

  /// Checks that it still runs, and starts it anew when it is time; to be called about once a second. Returns what a
  /// person should know, once for each end and each start; empty where nothing has changed.
  [[nodiscard]] std::string look_around(Clock::time_point now);

  /// Adds what it counted since the last call, including the counts of runs that are over.
  void take(stats::SlotCounts& counts);

  /// Ends it.
  void stop();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool running() const { return scheduler_ != nullptr; }
  /// It does not run and is not tried again.
  [[nodiscard]] bool given_up() const { return !running() && !next_start_; }
  /// Why it does not run: what ended it, and what is done about it. Empty while the scheduler runs.
  [[nodiscard]] const Status& health() const { return health_; }
  /// How often the kernel ended it, by kind; every kind is in the list.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& exits() const { return exits_; }

 private:
  Keeper(std::string name, Start start);
  [[nodiscard]] Status run(Clock::time_point now);
  [[nodiscard]] std::string ended(const Exit& exit, Clock::time_point now);
  [[nodiscard]] std::string plan_next(const std::string& why, Clock::time_point now);

  std::string name_;
  Start start_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<stats::SlotSource> slots_;
  stats::SlotCounts over_{};  // counts of runs that are over, not taken yet
  Status health_;
  std::map<std::string_view, std::uint64_t> exits_;
  unsigned failures_ = 0;
  Clock::time_point started_{};
  std::optional<Clock::time_point> next_start_;
};

}  // namespace flowtap::scheds
