// What is left of a pod's attempts that are over: each in short, and how many there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diagnosis/attempt.hpp"
#include "diagnosis/diagnosis.hpp"
#include "diagnosis/fact.hpp"

namespace flowtap::diagnosis {

struct OldAttempt {
  Diagnosis::Past says;
  AttemptTime time;
};

/// Of an attempt that is over.
[[nodiscard]] OldAttempt in_short(const Attempt& attempt);

/// One scheduler's.
class AttemptHistory {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kLongestSummary = 200;  ///< bytes

  /// It is over, and `next` is of the one after it. A pod that is bound is not placed again: what follows is of another one of its name,
  /// as is what has another uid, and then nothing is left of the old one.
  void add(const Attempt& attempt, const Fact& next);

  [[nodiscard]] const std::vector<OldAttempt>& kept() const { return kept_; }  ///< oldest first
  /// How many more there were.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  /// Where another pod of the name was there before: what was said before this is of that one.
  [[nodiscard]] flow::KlogTime born() const { return born_; }
  /// When the first was said of the pod, if it was before its latest attempt.
  [[nodiscard]] flow::KlogInstant begun() const { return begun_; }
  /// About what it takes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<OldAttempt> kept_;
  std::size_t dropped_ = 0;
  flow::KlogTime born_;
  flow::KlogInstant begun_;
  std::size_t bytes_ = sizeof(AttemptHistory);
};

/// Which attempt `diagnosis` is of and what came before it, as both schedulers tell: histories of the same pod, each with `over` behind
/// it where that scheduler's latest attempt is another one, before it.
void tell_history(Diagnosis& diagnosis, const AttemptHistory& device, const AttemptHistory& generic,
                  const Attempt* device_over = nullptr, const Attempt* generic_over = nullptr);

/// Whether what a device-aware scheduler and kube-scheduler tell is of one attempt; else which is the older one. kube-scheduler asks the
/// other in the middle of its own attempt.
enum class AttemptOrder : std::uint8_t { kSame, kDeviceOlder, kGenericOlder };
[[nodiscard]] AttemptOrder order_of(const AttemptTime& device, const AttemptTime& generic);

}  // namespace flowtap::diagnosis
