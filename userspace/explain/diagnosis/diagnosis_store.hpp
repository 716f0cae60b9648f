// The latest attempts of each pod that schedulers have spoken of, as many as there is room for. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lru.hpp"
#include "explain/diagnosis/attempts/card_places.hpp"
#include "explain/diagnosis/attempts/pod_attempts.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap::diagnosis {

class DiagnosisStore {
 public:
  static constexpr std::size_t kMostPods = 1000;
  /// The bound of all attempts together, unless told otherwise: kMostPods over a hundred nodes of eight cards, each with why it
  /// does not do.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

  /// Keeps what the logs of these schedulers say; they must outlive it.
  explicit DiagnosisStore(std::size_t most_pods = kMostPods, std::size_t most_bytes = kMostBytes,
                          const Schedulers& schedulers = Schedulers::built_in())
      : schedulers_(&schedulers), most_(most_pods), most_bytes_(most_bytes), attempts_(most_pods) {}

  /// Keeps this pod also if it is only in informers' words. find() gives it, and it is counted and listed nowhere. To be called
  /// before the first add().
  void keep_informed(std::string_view ns, std::string_view name) {
    flow::FlowKey{.ns = ns, .name = name}.put(informed_);
  }

  [[nodiscard]] const Schedulers& schedulers() const { return *schedulers_; }

  /// A number for a log that facts are from.
  [[nodiscard]] std::uint32_t next_log() {
    const std::scoped_lock lock(mutex_);
    return ++logs_;
  }

  /// What a fact has decided.
  struct Decided {
    Outcome outcome = Outcome::kNone;
    /// If it failed, each reason once: patterns of advice.def, and kOtherReason if none fits.
    std::vector<std::string_view> reasons;
    /// If the pod was bound: the time since the first thing was said of it, if both times are known.
    std::optional<std::chrono::nanoseconds> took = {};
  };
  Decided add(const flow::FlowKey& pod, const Fact& fact, const CardPlaces& places);
  static constexpr std::string_view kOtherReason = "other";

  /// Nothing: no scheduler has spoken of the pod, or too many others were spoken of since.
  [[nodiscard]] std::optional<Diagnosis> find(std::string_view ns, std::string_view name);

  /// All pods, the most recent first: "ns/name".
  [[nodiscard]] std::vector<std::string> pods() const;

  /// The same as find() for one of these pods, but without keeping it longer.
  [[nodiscard]] std::optional<Diagnosis> peek(const std::string& pod) const;

  /// Calls `take("ns/name", Diagnosis)` for each pod, the most recent first. A writer waits for one of them at most, so what is
  /// written meanwhile may be in it or not.
  template <typename Take>
  void each(Take&& take) const {
    for (const std::string& pod : pods())
      if (const auto diagnosis = peek(pod)) take(pod, *diagnosis);
  }

  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return spoken_;
  }
  [[nodiscard]] std::size_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_ + texts_.bytes();
  }
  /// How many pods had to make room.
  [[nodiscard]] std::uint64_t evicted() const {
    const std::scoped_lock lock(mutex_);
    return evicted_;
  }

 private:
  static constexpr std::size_t kMostPlaced = 256;

  void drop_oldest();

  const Schedulers* schedulers_;
  mutable std::mutex mutex_;
  std::size_t most_;
  std::size_t most_bytes_;
  SharedTexts texts_;  // of all attempts
  Lru<PodAttempts> attempts_;
  // Of pods that only informers have spoken of: whether the last word was that it has its node. From about 1.35 on the queue tells behind
  // it that the pod is gone (kubernetes, pkg/scheduler/eventhandlers.go).
  Lru<bool> placed_{kMostPlaced};
  std::size_t bytes_ = 0;
  std::size_t spoken_ = 0;  // pods that are not only informed of
  std::string informed_;    // the pod that is kept also if it is only in informers' words; empty: none
  std::uint64_t evicted_ = 0;
  std::uint32_t logs_ = 0;
};

}  // namespace flowtap::diagnosis
