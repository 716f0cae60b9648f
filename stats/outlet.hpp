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
  /// `retry`: how long after a failure the newest snapshot is tried again if no cycle comes before; it grows
  /// with each failure, up to five times itself.
  explicit Outlet(std::unique_ptr<Backend> backend,
                  std::chrono::milliseconds retry = std::chrono::seconds(1));
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  /// As stop() with one second.
  ~Outlet();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Never waits for the receiver.
  void offer(SnapshotPtr snapshot);

  /// How the backend stood after its last publish(); "down" also while one has not returned for three
  /// seconds.
  [[nodiscard]] BackendHealth health() const;

  /// Tells the thread to end, and returns at once: several outlets end beside one another when all are told
  /// first.
  void begin_stop();

  /// Publishes the newest snapshot once more if it was not delivered, then ends the thread. False: the
  /// backend did not come back in time; its thread is left to itself, since a process that ends must not wait
  /// for a receiver.
  bool stop(std::chrono::milliseconds limit);

 private:
  struct State;

  std::string name_;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive the Outlet
  std::jthread thread_;
};

}  // namespace flowtap::stats
