#include "stream/capture/ring_drain.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdint>

#include "stream/capture/progress.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// The consumer gives up a lines' thread that stands still before this gives up a ring that does, so the ring moves again.
constexpr auto kRingStandsStill = 15s;
static_assert(kRingStandsStill > flow::ConsumerOptions::kTakerPatience);
// A service manager waits for a start, but not for ever. A ring that is not nearly empty by then has to do.
constexpr auto kNearlyLongest = 30s;
constexpr std::uint64_t kNearlyDrained = std::uint64_t{256} << 10U;
// Finding names takes some looks at files. A stream that has no name by then gets one from its new slot.
constexpr auto kNamesLongest = 1s;

// Signals are blocked while the service starts. What is left in the ring is there for the next start.
bool is_asked_to_end() {
  sigset_t pending{};
  return ::sigpending(&pending) == 0 &&
         (::sigismember(&pending, SIGTERM) == 1 || ::sigismember(&pending, SIGINT) == 1);
}

}  // namespace

void RingDrain::nearly() {
  const auto begin = now_();
  Progress emptier(kRingStandsStill, begin);
  std::uint64_t least = backlog() / kNearlyDrained;
  const auto goes_on = [&](Clock::time_point now) {
    least = std::min(least, backlog() / kNearlyDrained);
    return least > 0 && now - begin < kNearlyLongest && emptier.goes_on(least, now);
  };
  do consumer_.round();
  while (!is_asked_to_end() && (goes_on(now_()) || waits_for_names(begin)));
}

void RingDrain::all() {
  const auto begin = now_();
  Progress drained(kRingStandsStill, begin);
  Progress taken(kRingStandsStill, begin);
  const auto goes_on = [&](Clock::time_point now) {
    const bool drains = drained.goes_on(ring_.position(), now);
    const bool takes = taken.goes_on(journal_.untaken(), now);
    return backlog() > 0 && (drains || takes);
  };
  do consumer_.round();
  while (!is_asked_to_end() && (goes_on(now_()) || waits_for_names(begin)));
}

bool RingDrain::waits_for_names(Clock::time_point begin) const {
  return consumer_.counts().nameless > 0 && now_() - begin < kNamesLongest;
}

}  // namespace flowtap
