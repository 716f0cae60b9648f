#include "explain/diagnosis/diagnosis_store.hpp"

#include "explain/diagnosis/advice.hpp"

namespace flowtap::diagnosis {

namespace {

// Reasons about the pod as a whole, or about pods that could make room, do not say why a node does not fit.
std::vector<std::string_view> reasons_of(const Diagnosis& diagnosis) {
  std::vector<std::string_view> reasons;
  const bool bind_failed = diagnosis.bind.verdict == Verdict::kFailed;
  const bool of_nodes = !bind_failed && (!diagnosis.nodes.empty() || !diagnosis.reasons.empty());
  for (const Advice& advice : advice_for(diagnosis))
    if (!of_nodes || advice.nodes > 0) reasons.push_back(advice.pattern);
  if (bind_failed && reasons.size() > 1) reasons.resize(1);
  if (reasons.empty()) reasons.push_back(DiagnosisStore::kOtherReason);
  return reasons;
}

}  // namespace

void DiagnosisStore::drop_oldest() {
  if (const auto oldest = attempts_.drop_oldest()) {
    bytes_ -= oldest->bytes();
    if (oldest->only_informed()) return;
    ++evicted_;
    --spoken_;
  }
}

DiagnosisStore::Decided DiagnosisStore::add(const flow::FlowKey& pod, const Fact& fact,
                                            const CardPlaces& places) {
  if (most_ == 0) return {};
  std::string key;
  pod.put(key);
  const std::scoped_lock lock(mutex_);
  PodAttempts* attempts = attempts_.get(key);
  const bool keeps_informed = key == informed_;
  if (attempts == nullptr && is_of_known_pod(fact.kind) && !keeps_informed) {
    placed_.put(key, fact.kind == FactKind::kHasNode);
    return {};
  }
  if (attempts == nullptr) {
    if (attempts_.size() == most_) drop_oldest();
    attempts_.put(key, PodAttempts());
    attempts = attempts_.get(key);
    if (const bool* placed = placed_.get(key);
        placed != nullptr && *placed && fact.kind == FactKind::kDequeued) {
      Fact before = fact;
      before.kind = FactKind::kHasNode;
      (void)attempts->add(before, places, texts_, true);
    }
    bytes_ += attempts->bytes();
  }
  const std::size_t before = attempts->bytes();
  const bool was_informed = attempts->only_informed();
  Decided decided{.outcome = attempts->add(fact, places, texts_, keeps_informed), .reasons = {}, .took = {}};
  if (was_informed && !attempts->only_informed()) ++spoken_;
  bytes_ = bytes_ - before + attempts->bytes();  // not before add(), which may throw
  if (decided.outcome == Outcome::kNoFit || decided.outcome == Outcome::kBindFailed)
    decided.reasons = reasons_of(attempts->of(*fact.scheduler)->attempt.diagnosis());
  if (decided.outcome == Outcome::kBound && fact.instant)
    if (const auto begun = attempts->of(*fact.scheduler)->begun(); begun && *begun <= *fact.instant)
      decided.took = *fact.instant - *begun;
  // This pod is the most recent one, so it would go last.
  while (bytes_ + texts_.bytes() > most_bytes_ && attempts_.size() > 1) drop_oldest();
  return decided;
}

std::optional<Diagnosis> DiagnosisStore::find(std::string_view ns, std::string_view name) {
  std::string key;
  flow::FlowKey{.ns = ns, .name = name}.put(key);
  const std::scoped_lock lock(mutex_);
  const PodAttempts* attempts = attempts_.get(key);
  if (attempts == nullptr) return std::nullopt;
  return attempts->diagnosis();
}

std::vector<std::string> DiagnosisStore::pods() const {
  std::vector<std::string> all;
  const std::scoped_lock lock(mutex_);
  all.reserve(attempts_.size());
  attempts_.each([&all](const std::string& pod, const PodAttempts& attempts) {
    if (!attempts.only_informed()) all.push_back(pod);
  });
  return all;
}

std::optional<Diagnosis> DiagnosisStore::peek(const std::string& pod) const {
  const std::scoped_lock lock(mutex_);
  const PodAttempts* attempts = attempts_.peek(pod);
  if (attempts == nullptr || attempts->only_informed()) return std::nullopt;
  return attempts->diagnosis();
}

}  // namespace flowtap::diagnosis
