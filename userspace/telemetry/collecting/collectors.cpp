#include "telemetry/collecting/collectors.hpp"

#include <exception>
#include <iterator>
#include <thread>

namespace flowtap::telemetry {
namespace {

using Clock = std::chrono::steady_clock;

enum class Phase : std::uint8_t { kIdle, kAsked, kDone, kEnding };

}  // namespace

struct Collectors::Lane {
  explicit Lane(std::unique_ptr<Collector> collector) : reads(std::move(collector)) {
    state.name = reads->name();
  }

  // The thread's loop: it reads as often as it is asked to.
  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return phase == Phase::kAsked || phase == Phase::kEnding; });
      if (phase == Phase::kEnding) return;
      lock.unlock();
      const auto begin = Clock::now();
      Collected fresh = read();
      const auto took = Clock::now() - begin;
      lock.lock();
      collected = std::move(fresh);
      state.took = took;
      state.done = true;
      if (phase != Phase::kEnding) phase = Phase::kDone;
      changed.notify_all();
    }
  }

  // If memory runs out half-way, what was read so far may be half of something.
  Collected read() const {
    Collected fresh;
    try {
      reads->collect(fresh);
    } catch (const std::exception&) {
      fresh.series.clear();
      ++fresh.unread;
    }
    return fresh;
  }

  void ask() {
    const std::scoped_lock lock(mutex);
    if (phase == Phase::kAsked) {
      missed = true;
      return;
    }
    belated.clear();
    if (phase == Phase::kDone) {
      state.unread += collected.unread;
      if (!missed) belated = std::move(collected.series);
    }
    missed = false;
    phase = Phase::kAsked;
    state.late = false;
    changed.notify_all();
  }

  void take(Clock::time_point until, std::vector<stats::Series>& out) {
    std::unique_lock lock(mutex);
    if (state.late) return;
    if (!changed.wait_until(lock, until, [this] { return phase == Phase::kDone; })) {
      state.late = true;
      ++state.timeouts;
      std::ranges::move(belated, std::back_inserter(out));
      return;
    }
    phase = Phase::kIdle;
    state.unread += collected.unread;
    std::ranges::move(collected.series, std::back_inserter(out));
    collected = {};
  }

  // True: its thread is about to end.
  bool end() {
    const std::scoped_lock lock(mutex);
    const bool busy = phase == Phase::kAsked;
    phase = Phase::kEnding;
    changed.notify_all();
    return !busy;
  }

  std::unique_ptr<Collector> reads;  // used only by the thread
  mutable std::mutex mutex;
  std::condition_variable changed;
  Phase phase = Phase::kIdle;
  Collected collected;
  std::vector<stats::Series> belated;  // from the round before, in which it was cut off
  bool missed = false;                 // a round has passed since it was asked
  CollectorState state;
  std::thread thread;
};

Collectors::~Collectors() {
  for (const auto& lane : lanes_) {
    // A collector that is still reading may do so for ever. Its thread has all that it needs, and ends by itself if the
    // read comes back.
    if (lane->end())
      lane->thread.join();
    else
      lane->thread.detach();
  }
}

void Collectors::add(std::unique_ptr<Collector> collector) {
  auto lane = std::make_shared<Lane>(std::move(collector));
  lane->thread = std::thread([lane] { lane->run(); });
  lanes_.push_back(std::move(lane));
}

void Collectors::collect(std::chrono::milliseconds limit, std::vector<stats::Series>& out) {
  for (const auto& lane : lanes_) lane->ask();
  const auto until = Clock::now() + limit;
  for (const auto& lane : lanes_) lane->take(until, out);
}

std::vector<CollectorState> Collectors::states() const {
  std::vector<CollectorState> all;
  for (const auto& lane : lanes_) {
    const std::scoped_lock lock(lane->mutex);
    all.push_back(lane->state);
  }
  return all;
}

}  // namespace flowtap::telemetry
