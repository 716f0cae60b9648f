// When events were lost to the log tap, as far as the kernel tells. It counts for a program what it keeps from it, not for a
// stream, so whatever passed at such a time may lack bytes that nobody knows of.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernel/log/log_misses.hpp"

namespace flowtap {

/// Safe from any thread. Times are ns since 1970.
class Suspicion {
 public:
  /// So many events may have been seen by no program since they were loaded; so many were kept from a first program, and
  /// came to its second. What was before the first look is of any time before. For a while after the second was kept from
  /// running, it may take an event for one that the first has handled (bpf/lib/log_second.bpf.h).
  void look(const kernel::LogMisses& misses, std::uint64_t now);

  /// Whether there was such a time between the two moments.
  [[nodiscard]] bool covers(std::uint64_t first, std::uint64_t last) const;

  /// More than any reader of logs takes from one read to the next without sleeping between.
  static constexpr std::uint64_t kNoteLasts = 10'000'000'000;

  static constexpr std::size_t kMostSpans = 256;  ///< more are joined with what lies between the oldest

 private:
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
  };

  mutable std::mutex mutex_;
  std::vector<Span> spans_;  // in order
  kernel::LogMisses misses_;
  std::uint64_t unseen_ = 0;  // when some were that nobody saw
  std::uint64_t looked_ = 0;  // when
};

}  // namespace flowtap
