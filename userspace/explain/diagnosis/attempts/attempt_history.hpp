// A pod's attempts that are over: each in short, and how many there were.
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
  std::size_t times = 1;    ///< how many attempts it stands for
  bool found_node = false;  ///< what failed later, did so at the bind
};

/// An attempt that is over, in short.
[[nodiscard]] OldAttempt in_short(const Attempt& attempt);

/// The history of one scheduler.
class AttemptHistory {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kLongestSummary = 200;  ///< bytes

  /// The attempt is over, and `next` is about the one after it. If that is another pod's (Attempt::is_of_other_pod), nothing of
  /// the old pod is kept.
  void add(const Attempt& attempt, const Fact& next);
  /// All that it has is another pod's: this one's first attempt began then.
  void forget_before(flow::KlogTime born);
  /// The fact is about an attempt before the latest one (Attempt::is_old): of a scheduler's replicas, one leads after the other, and
  /// each has a log of its own, which may be read after the other's. It says how an attempt that is kept went, or is of one that
  /// nobody has told of yet.
  void add_late(const Fact& fact, Attempt& latest, SharedTexts& texts);

  [[nodiscard]] const std::vector<OldAttempt>& kept() const { return kept_; }  ///< oldest first
  /// How many more attempts there were.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  /// If there was another pod of this name before: what was said before this time is about that pod.
  [[nodiscard]] flow::KlogTime born() const { return born_; }
  /// When the first fact was said of the pod, if that was before its latest attempt.
  [[nodiscard]] flow::KlogInstant begun() const { return begun_; }
  /// About how much it takes.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] bool take_late(std::size_t place, const AttemptTime& after, const Fact& fact,
                               SharedTexts& texts);
  void put(std::size_t place, OldAttempt old, const flow::KlogInstant& first);
  void decide(OldAttempt& old, OldAttempt late, const Fact& fact);
  void drop_oldest();
  [[nodiscard]] bool is_of_dropped(const Fact& verdict);
  void forget_until(std::size_t place, flow::KlogTime born);

  std::vector<OldAttempt> kept_;
  std::size_t dropped_ = 0;
  flow::KlogTime dropped_open_;  // when the one began that was dropped last before it was told how it went
  flow::KlogTime born_;
  flow::KlogInstant begun_;
  std::size_t bytes_ = sizeof(AttemptHistory);
};

/// What one scheduler has told of a pod.
struct Told {
  const Scheduler* by = nullptr;
  Attempt attempt;         ///< the latest
  AttemptHistory history;  ///< of the attempts before it

  [[nodiscard]] bool extends() const { return by->role == Scheduler::Role::kExtender; }
  /// When it said the first thing about the pod, if it did not only say how an attempt ended.
  [[nodiscard]] flow::KlogInstant begun() const {
    if (!history.kept().empty()) return history.begun();
    return attempt.time().begin_said ? attempt.first() : std::nullopt;
  }
  [[nodiscard]] std::size_t bytes() const { return attempt.bytes() + history.bytes(); }
};

/// Says which attempt `diagnosis` is about and what came before it. `told` is what all schedulers have told of the pod. Those in
/// `now` tell of this attempt, and the latest attempts of the others came before it.
void tell_history(Diagnosis& diagnosis, std::span<const Told* const> told, std::span<const Told* const> now);

/// Whether a device-aware scheduler and a main one tell of the same attempt; otherwise, which attempt is the older one. The main
/// one asks the other in the middle of its own attempt.
enum class AttemptOrder : std::uint8_t { kSame, kDeviceOlder, kGenericOlder };
[[nodiscard]] AttemptOrder order_of(const AttemptTime& device, const AttemptTime& generic);

}  // namespace flowtap::diagnosis
