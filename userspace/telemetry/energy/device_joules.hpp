// The devices' joules, passed from the collectors that read devices to the one that divides the node's energy, which
// may include them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace flowtap::telemetry {

/// The microjoules that all devices together have used. Thread-safe.
class DeviceJoules {
 public:
  void add(std::uint64_t uj) { total_.fetch_add(uj, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> total_ = 0;
};

/// Which part of the node's energy is the devices', so that it is not divided by CPU time as well. Used by one thread.
class DeviceShare {
 public:
  /// Devices and the node are read side by side, and one may be a round ahead: what does not fit into a round goes into
  /// the next ones. After this many rounds it was drawn elsewhere (a card with a supply of its own), or long ago, and
  /// is dropped.
  static constexpr unsigned kMostLate = 10;

  /// `devices`: null where nobody reads any.
  explicit DeviceShare(std::shared_ptr<const DeviceJoules> devices)
      : devices_(std::move(devices)), taken_(now()) {}

  /// What devices have used since the call before, and in rounds where it was too much for `room`; at most `room`
  /// microjoules. `room` is absent where the node's energy of this round does not include devices; what they used is
  /// dropped then.
  std::uint64_t take(std::optional<std::uint64_t> room);

  /// All that take() has returned.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  [[nodiscard]] std::uint64_t now() const { return devices_ ? devices_->total() : 0; }

  std::shared_ptr<const DeviceJoules> devices_;
  std::uint64_t taken_;  // taken or dropped from the devices' total
  std::uint64_t total_ = 0;
  unsigned late_ = 0;  // rounds in a row that left something over
};

}  // namespace flowtap::telemetry
