// When events were kept from the log tap's programs. The kernel counts them for a program, not for a stream, so whatever
// passed at such a time may lack bytes that nobody knows of.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace flowtap {

/// Safe from any thread. Times are ns since 1970.
class Suspicion {
 public:
  /// The kernel has kept so many events from the programs since they were loaded. What it had before the first look is of
  /// any time before.
  void look(std::uint64_t misses, std::uint64_t now);

  /// Whether there was such a time between the two moments.
  [[nodiscard]] bool covers(std::uint64_t first, std::uint64_t last) const;

  static constexpr std::size_t kMostSpans = 256;  ///< more are joined with what lies between the oldest

 private:
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
  };

  mutable std::mutex mutex_;
  std::vector<Span> spans_;  // in order
  std::uint64_t misses_ = 0;
  std::uint64_t looked_ = 0;  // when
};

}  // namespace flowtap
