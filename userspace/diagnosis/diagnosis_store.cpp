#include "diagnosis/diagnosis_store.hpp"

namespace flowtap::diagnosis {

void DiagnosisStore::drop_oldest() {
  if (const auto oldest = attempts_.drop_oldest()) {
    bytes_ -= oldest->bytes();
    ++evicted_;
  }
}

void DiagnosisStore::add(const flow::FlowKey& pod, const Fact& fact, const CardPlaces& places) {
  if (most_ == 0) return;
  std::string key;
  pod.put(key);
  const std::scoped_lock lock(mutex_);
  PodAttempts* attempts = attempts_.get(key);
  if (attempts == nullptr) {
    if (attempts_.size() == most_) drop_oldest();
    attempts_.put(key, PodAttempts());
    attempts = attempts_.get(key);
    bytes_ += attempts->bytes();
  }
  bytes_ -= attempts->bytes();
  attempts->add(fact, places);
  bytes_ += attempts->bytes();
  // This one is the most recent, so it goes last.
  while (bytes_ > kMostBytes && attempts_.size() > 1) drop_oldest();
}

std::optional<Diagnosis> DiagnosisStore::find(std::string_view ns, std::string_view name) {
  std::string key;
  flow::FlowKey{.ns = ns, .name = name}.put(key);
  const std::scoped_lock lock(mutex_);
  const PodAttempts* attempts = attempts_.get(key);
  if (attempts == nullptr) return std::nullopt;
  return attempts->diagnosis();
}

}  // namespace flowtap::diagnosis
