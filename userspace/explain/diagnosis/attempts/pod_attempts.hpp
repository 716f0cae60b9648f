// Makes a pod's latest attempt out of what each scheduler has said about it. Schedulers' logs come in any order, by milliseconds
// or file by file, so each has an attempt of its own, and they become one only when somebody asks.
//
// A main scheduler asks its extenders in the middle of its own attempt. An extender's attempt is therefore the same one if it
// began after the main one's did, and not after that had ended. Otherwise the earlier of the two is over. Each scheduler has a
// history of its attempts that are over.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/attempts/attempt_history.hpp"
#include "explain/diagnosis/attempts/card_places.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"

namespace flowtap::diagnosis {

class PodAttempts {
 public:
  /// `all`: also what informers tell of a pod of which nobody has spoken.
  Outcome add(const Fact& fact, const CardPlaces& places, SharedTexts& texts, bool all = false);

  /// Only informers have told of it: they tell of every pod of the cluster.
  [[nodiscard]] bool only_informed() const { return !spoken_; }

  /// nullptr: it has said nothing.
  [[nodiscard]] const Told* of(const Scheduler& scheduler) const;

  /// A device-aware scheduler's verdict on a node wins over a generic one's, and the later attempt wins over the earlier. If a
  /// name was used again, the answer is about the pod that was spoken of last.
  [[nodiscard]] Diagnosis diagnosis() const;

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = sizeof(PodAttempts);
    for (const Told& told : told_) sum += told.bytes();
    return sum;
  }

 private:
  [[nodiscard]] std::vector<const Told*> of_newest_pod() const;

  bool spoken_ = false;
  std::vector<Told> told_;  // in the order of the schedulers' table
};

}  // namespace flowtap::diagnosis
