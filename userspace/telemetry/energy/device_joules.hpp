// The devices' joules, from who reads devices to who divides the node's energy, which may have them in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace flowtap::telemetry {

/// Microjoules that all devices together have used. Thread-safe.
class DeviceJoules {
 public:
  void add(std::uint64_t uj) { total_.fetch_add(uj, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> total_ = 0;
};

/// What of the node's energy is the devices', so that it is not divided by CPU time, too. Used by one thread.
class DeviceShare {
 public:
  /// Devices and the node are read beside each other, and one may be a round ahead: what does not fit into a round is had in
  /// the next ones. After so many it was drawn elsewhere (a card with a supply of its own), or long ago, and is let go.
  static constexpr unsigned kMostLate = 10;

  /// `devices`: null where nobody reads any.
  explicit DeviceShare(std::shared_ptr<const DeviceJoules> devices)
      : devices_(std::move(devices)), taken_(now()) {}

  /// What devices have used since the call before and of rounds that it was too much for, `room` microjoules at most. `room`
  /// is absent where the node's energy of this round has no devices in it; what they used is let go then.
  std::uint64_t take(std::optional<std::uint64_t> room);

  /// All that take() has returned.
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  [[nodiscard]] std::uint64_t now() const { return devices_ ? devices_->total() : 0; }

  std::shared_ptr<const DeviceJoules> devices_;
  std::uint64_t taken_;  // or let go, of the devices' total
  std::uint64_t total_ = 0;
  unsigned late_ = 0;  // rounds in a row that left something
};

}  // namespace flowtap::telemetry
