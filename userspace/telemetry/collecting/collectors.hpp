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

/// How one collector is.
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

  /// Lets all read that are not late, side by side, and waits until they are done, `limit` at most. Appends what they read.
  /// Of one that is cut off, what it was done with behind the limit of the call before: one that always takes a little longer
  /// is a call behind, not absent. Of one that takes longer than that nothing, as its last values are old. One that throws
  /// has read nothing this time, which counts as one value.
  void collect(std::chrono::milliseconds limit, std::vector<stats::Series>& out);

  /// In the order of add().
  [[nodiscard]] std::vector<CollectorState> states() const;

 private:
  struct Lane;

  std::vector<std::shared_ptr<Lane>>
      lanes_;  // shared with its thread, which a collector that hangs never lets end
};

}  // namespace flowtap::telemetry
