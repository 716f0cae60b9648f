// A pod's latest attempt out of what each scheduler has said of it. Two schedulers' logs come in any order, by milliseconds or file
// by file, so each has an attempt of its own, and they become one only when somebody asks.
//
// kube-scheduler asks the extender in the middle of its own attempt. So the extender's attempt is of the same one if it began after
// kube-scheduler's did, and not after that had ended; else the earlier of the two is over. Of those that are over each has a history.
#pragma once

#include <array>
#include <cstddef>

#include "diagnosis/attempt.hpp"
#include "diagnosis/attempt_history.hpp"
#include "diagnosis/card_places.hpp"
#include "diagnosis/diagnosis.hpp"
#include "diagnosis/fact.hpp"

namespace flowtap::diagnosis {

class PodAttempts {
 public:
  Outcome add(const Fact& fact, const CardPlaces& places, SharedTexts& texts);

  /// When this scheduler said the first of the pod, and not only how its attempt ended.
  [[nodiscard]] flow::KlogInstant begun(Scheduler scheduler) const;

  [[nodiscard]] const Attempt& of(Scheduler scheduler) const {
    return attempts_.at(static_cast<std::size_t>(scheduler));
  }

  /// A device-aware scheduler's verdict on a node wins over a generic one's, and the later attempt over the earlier. Of a name that
  /// was used again it is the pod that was spoken of last.
  [[nodiscard]] Diagnosis diagnosis() const;

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Attempt& attempt : attempts_) sum += attempt.bytes();
    for (const AttemptHistory& history : histories_) sum += history.bytes();
    return sum;
  }

 private:
  std::array<Attempt, kSchedulers> attempts_;
  std::array<AttemptHistory, kSchedulers> histories_;
};

}  // namespace flowtap::diagnosis
