// One backend and the thread that serves it, so that a slow receiver delays neither the cycle nor another
// backend.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "stats/backend.hpp"

namespace flowtap::stats {

/// Hands the newest snapshot to its backend. A snapshot that a newer one overtakes is skipped: totals make
/// that harmless. While the receiver is down the newest snapshot is tried again, also between two cycles.
class Outlet {
 public:
  /// `retry`: the time after a failure until the newest snapshot is tried again, if no cycle comes before. It grows
  /// with each failure, up to five times its value.
  explicit Outlet(std::unique_ptr<Backend> backend,
                  std::chrono::milliseconds retry = std::chrono::seconds(1));
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  /// Like stop() with one second.
  ~Outlet();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Never waits for the receiver.
  void offer(SnapshotPtr snapshot);

  /// The backend's health after its last publish(). It is also "down" while a publish() has not returned for three
  /// seconds.
  [[nodiscard]] BackendHealth health() const;

  /// Tells the thread to end, and returns at once. When all outlets are told first, they end at the same time.
  void begin_stop();

  /// Publishes the newest snapshot once more if it was not delivered, then ends the thread. False: the
  /// backend did not come back in time; its thread is left behind, since a process that ends must not wait for a
  /// receiver.
  bool stop(std::chrono::milliseconds limit);

 private:
  struct State;

  std::string name_;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive the Outlet
  std::jthread thread_;
};

}  // namespace flowtap::stats
