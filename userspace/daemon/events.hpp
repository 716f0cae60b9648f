// What wakes the main thread: the timers of the cycle, of the look around and of the watchdog, and signals.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

enum class Event : std::uint8_t { kTick, kLook, kWatchdog, kReload, kStop };

/// Signals are blocked in this thread and those made after it, and arrive here in order with the ticks.
class Events {
 public:
  /// SIGTERM and SIGINT stop, SIGHUP reloads, SIGPIPE is ignored (a receiver that went away is an error code). `look`
  /// has its own period: things that are watched do not wait for a long cycle, and are not asked more often in a short
  /// one.
  [[nodiscard]] static Result<Events> open(std::chrono::milliseconds cycle, std::chrono::milliseconds look);

  void set_cycle(std::chrono::milliseconds cycle);
  /// Without this call there is no kWatchdog. It has its own timer, since a cycle may be longer than systemd waits.
  void set_watchdog(std::chrono::microseconds period);

  /// Waits for the next event. Ticks that were missed because a cycle took long come as one. A stop goes first. If a
  /// look around and a tick are due together, the look comes first, but not twice in a row.
  [[nodiscard]] Event wait();

 private:
  Events(Fd signals, Fd timer, Fd look, Fd watchdog)
      : signals_(std::move(signals)),
        timer_(std::move(timer)),
        look_(std::move(look)),
        watchdog_(std::move(watchdog)) {}
  Fd signals_;
  Fd timer_;
  Fd look_;
  Fd watchdog_;
  bool looked_ = false;  // the last event was a look around
};

}  // namespace flowtap
