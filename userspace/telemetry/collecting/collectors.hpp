// All collectors, each on a thread of its own: one that hangs (a file system whose server is gone) holds up nobody.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// The state of one collector.
struct CollectorState {
  std::string_view name;
  bool late = false;                ///< it was cut off, and has not come back since
  std::uint64_t timeouts = 0;       ///< times that it was cut off
  std::uint64_t unread = 0;         ///< values that it could not read, in all
  std::chrono::nanoseconds took{};  ///< the last time that it was done
  bool done = false;                ///< it was done once
};

/// Used by one thread.
class Collectors {
 public:
  Collectors() = default;
  ~Collectors();
  Collectors(const Collectors&) = delete;
  Collectors& operator=(const Collectors&) = delete;

  /// Starts its thread.
  void add(std::unique_ptr<Collector> collector);

  /// Lets all that are not late read side by side, and waits until they are done, at most for `limit`. Appends what
  /// they read. For a collector that is cut off it appends what the call before came too late for: one that always
  /// takes a little longer is a call behind, not absent. One that takes longer than that gives nothing, as its last
  /// values are old. One that throws has read nothing this time, which counts as one value.
  void collect(std::chrono::milliseconds limit, std::vector<stats::Series>& out);

  /// In the order of add().
  [[nodiscard]] std::vector<CollectorState> states() const;

 private:
  struct Lane;

  std::vector<std::shared_ptr<Lane>>
      lanes_;  // shared with its thread, which never ends if the collector hangs
};

}  // namespace flowtap::telemetry
