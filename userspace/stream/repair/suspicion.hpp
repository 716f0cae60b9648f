// When events were lost to the log tap, as far as the kernel tells. The kernel counts lost events for a program, not for a
// stream, so all that was written at such a time may lack bytes that nobody knows of.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernel/log/log_misses.hpp"

namespace flowtap {

/// Safe from any thread. Times are ns since 1970.
class Suspicion {
 public:
  /// Takes how many events may have been seen by no program since the programs were loaded, and how many were kept from a first
  /// program and came to its second. Events counted at the first look may be of any time before. For a while after the second was
  /// kept from running, it may take an event for one that the first has handled (bpf/lib/log/second.bpf.h).
  void look(const kernel::LogMisses& misses, std::uint64_t now);

  /// Whether there was such a time between the two moments.
  [[nodiscard]] bool covers(std::uint64_t first, std::uint64_t last) const;

  /// Longer than any reader of logs takes from one read to the next without sleeping in between.
  static constexpr std::uint64_t kNoteLasts = 10'000'000'000;

  static constexpr std::size_t kMostSpans = 256;  ///< beyond this, the two oldest become one span

 private:
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
  };

  mutable std::mutex mutex_;
  std::vector<Span> spans_;  // in order
  kernel::LogMisses misses_;
  std::uint64_t unseen_ = 0;  // when there were last events that nobody saw
  std::uint64_t looked_ = 0;  // when look() was last called
};

}  // namespace flowtap
