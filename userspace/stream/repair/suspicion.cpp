#include "stream/repair/suspicion.hpp"

#include <algorithm>

namespace flowtap {

void Suspicion::look(const kernel::LogMisses& misses, std::uint64_t now) {
  const std::scoped_lock lock(mutex_);
  const bool unseen = misses.unseen != misses_.unseen;
  if (unseen) unseen_ = now;
  if (unseen || (misses.passed != misses_.passed && unseen_ != 0 && looked_ < unseen_ + kNoteLasts)) {
    if (!spans_.empty() && spans_.back().end == looked_)
      spans_.back().end = now;
    else
      spans_.push_back({looked_, now});
    if (spans_.size() > kMostSpans) {
      spans_[1].begin = spans_[0].begin;
      spans_.erase(spans_.begin());
    }
  }
  misses_ = misses;
  looked_ = now;
}

bool Suspicion::covers(std::uint64_t first, std::uint64_t last) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(
      spans_, [first, last](const Span& span) { return span.begin <= last && first <= span.end; });
}

}  // namespace flowtap
