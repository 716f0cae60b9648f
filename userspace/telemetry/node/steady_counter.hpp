// Turns a counter of the kernel that falls at times into one that never does.
#pragma once

#include <cstdint>
#include <limits>

namespace flowtap::telemetry {

/// Counts what it reads. Where that falls, the kernel either was imprecise and will pass the old value again, or it
/// began to count anew; the caller knows which.
class SteadyCounter {
 public:
  /// The counter's value now, where `read` is what the kernel says. A lower `read` than before changes nothing until it
  /// has passed the old value, unless the kernel began `anew`: then all further growth is added to what was reached.
  std::uint64_t next(std::uint64_t read, bool anew) {
    if (read < largest_ && anew) {
      gone_ = sum(gone_, largest_ - read);
      largest_ = read;
    }
    if (read > largest_) largest_ = read;
    return sum(gone_, largest_);
  }

 private:
  // Bytes from outside may say anything, and a counter that has reached the end stays there.
  static std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return a > kMost - b ? kMost : a + b;
  }

  std::uint64_t largest_ = 0;  // the largest value read since it began anew
  std::uint64_t gone_ = 0;     // what was reached before that, minus what it began with
};

}  // namespace flowtap::telemetry
