// The one interface between the totals and every way out. A backend knows the snapshot and its own wire
// format; no stat and no source knows a backend.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats {

/// How a backend gets on with its receiver. The cycle reads it from another thread, so Outlet keeps it in atomics.
struct BackendHealth {
  bool up = true;
  std::uint64_t pending = 0;  ///< updates kept for later
  std::uint64_t lost = 0;     ///< updates given up because the bound was reached, since the start
  std::string last_error;     ///< what the receiver's side said last; empty if nothing ever failed
  std::optional<Error> refusal =
      {};  ///< of the last publish(); absent if it delivered everything. Set by Outlet
};

/// Values → wire. Each backend runs on a thread of its own (stats/outlet.hpp): publish() may take time, but
/// never blocks without a limit: sockets are non-blocking or have a time-out of at most one second.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// A short name for logs, status and the `backend` label: "prometheus", "statsd", ...
  [[nodiscard]] virtual std::string name() const = 0;

  /// Called before the first publish() if another backend has already delivered everything up to this snapshot (a
  /// reload of the configuration): deltas begin here and not at 0.
  virtual void begin_at(const Snapshot& /*snapshot*/) {}

  /// Takes the newest totals. Older snapshots may have been skipped. An Error says what the receiver refused. Numbers
  /// that were not sent are kept, within the backend's bound, and go out with a later call.
  virtual Status publish(const SnapshotPtr& snapshot) = 0;

  [[nodiscard]] virtual BackendHealth health() const = 0;
};

}  // namespace flowtap::stats
