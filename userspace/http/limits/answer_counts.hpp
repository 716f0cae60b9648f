// Counts how requests were answered, for the metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace flowtap::http {

/// The counts of one way to the API, by HTTP status. Written by the API's thread, read by any.
class AnswerCounts {
 public:
  /// Stands for a status if a connection ended without an answer: its handshake failed, or too many were being turned
  /// away.
  static constexpr unsigned kNone = 0;

  void add(unsigned status) noexcept {
    counts_.at(status < counts_.size() ? status : kNone).fetch_add(1, std::memory_order_relaxed);
  }
  /// Calls `take(status, count)` for each status that has occurred.
  template <typename Take>
  void each(Take&& take) const {
    for (std::size_t status = 0; status < counts_.size(); ++status)
      if (const std::uint64_t count = counts_[status].load(std::memory_order_relaxed); count > 0)
        take(static_cast<unsigned>(status), count);
  }

 private:
  std::array<std::atomic<std::uint64_t>, 600> counts_{};
};

/// Outlives each server, so that the counts go on when a reload starts another one.
struct ServerCounts {
  AnswerCounts unix_socket;
  AnswerCounts tcp;
};

}  // namespace flowtap::http
