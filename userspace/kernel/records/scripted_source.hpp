// Records that a script gives: everything above the ring is tested with this, without a kernel.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "kernel/records/record.hpp"
#include "kernel/records/record_source.hpp"

namespace flowtap::flow {

/// Behaves as the kernel's ring does: what is not committed comes again, a record that is still being written (busy)
/// holds up all behind it, and the position counts bytes with each record's own header. It outlives its readers, as a
/// pinned ring outlives the service. Pushing is safe from any thread.
class ScriptedSource final : public RecordSource {
 public:
  explicit ScriptedSource(std::string ring_id) : ring_id_(std::move(ring_id)) {}

  void push(const Record& record);
  /// Bytes that need not be a record.
  void push_raw(std::vector<std::byte> raw);
  /// What is pushed from now on is not given out until this is unset.
  void set_busy(bool busy);
  /// Nothing more will come.
  void end();

  [[nodiscard]] std::string ring_id() const override { return ring_id_; }
  [[nodiscard]] Result<RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) override;
  [[nodiscard]] Result<RingPosition> look_ahead(
      RingPosition from, const std::function<void(std::span<const std::byte>)>& take) const override;
  [[nodiscard]] RingPosition position() const override;
  [[nodiscard]] RingPosition head() const override;
  void commit(RingPosition position) override;
  [[nodiscard]] bool wait(std::chrono::milliseconds longest) override;
  void interrupt() override;
  [[nodiscard]] Fill fill() const override { return fill_of(fill_is); }

  /// Records that are not committed.
  [[nodiscard]] std::size_t held() const;
  /// How long the last wait() was told to wait at most.
  [[nodiscard]] std::chrono::milliseconds patience() const;

  /// A ring that is full to this part.
  [[nodiscard]] Fill fill_of(double part) const {
    return {static_cast<std::uint64_t>(part * static_cast<double>(capacity_is)), capacity_is};
  }

  double fill_is = 0;                                     ///< the part of it that fill() returns
  std::uint64_t capacity_is = std::uint64_t{100} << 20U;  ///< bytes

 private:
  struct Item {
    RingPosition end;  // the position behind it
    std::vector<std::byte> raw;
  };

  std::string ring_id_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  RingPosition position_ = 0;  // committed
  RingPosition head_ = 0;      // behind the last record
  RingPosition visible_ = 0;   // behind the last record that may be given out
  bool busy_ = false;
  bool ended_ = false;
  bool interrupted_ = false;
  std::chrono::milliseconds patience_{0};
};

}  // namespace flowtap::flow
