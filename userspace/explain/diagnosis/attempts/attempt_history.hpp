// What is left of a pod's attempts that are over: each in short, and how many there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"

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

/// What one scheduler has told of a pod.
struct Told {
  const Scheduler* by = nullptr;
  Attempt attempt;         ///< the latest
  AttemptHistory history;  ///< of those before it

  [[nodiscard]] bool extends() const { return by->role == Scheduler::Role::kExtender; }
  /// When it said the first of the pod, and not only how its attempt ended.
  [[nodiscard]] flow::KlogInstant begun() const {
    if (!history.kept().empty()) return history.begun();
    return attempt.time().begin_said ? attempt.first() : std::nullopt;
  }
  [[nodiscard]] std::size_t bytes() const { return attempt.bytes() + history.bytes(); }
};

/// Which attempt `diagnosis` is of and what came before it: what all schedulers have told of the pod, of which some tell of this attempt
/// (`now`), and the latest attempts of the others are before it.
void tell_history(Diagnosis& diagnosis, std::span<const Told* const> told, std::span<const Told* const> now);

/// Whether what a device-aware scheduler and a main one tell is of one attempt; else which is the older one. The main one asks the other
/// in the middle of its own attempt.
enum class AttemptOrder : std::uint8_t { kSame, kDeviceOlder, kGenericOlder };
[[nodiscard]] AttemptOrder order_of(const AttemptTime& device, const AttemptTime& generic);

}  // namespace flowtap::diagnosis
