// Waiting for what a test can see, instead of for a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace flowtap::test {

/// How long a test waits for something that must happen. Only a failure takes that long. An emulated machine beside much else starts
/// a flowtapd in a minute.
#ifdef __SANITIZE_THREAD__
inline constexpr std::chrono::seconds kPatience{300};
#else
inline const std::chrono::seconds kPatience{std::getenv("FTAP_VM") != nullptr ? 180 : 60};
#endif

/// Checks again and again until it is true; false when the time is over. The first pauses are short, as most of what a test waits
/// for is a moment away.
template <typename So>
[[nodiscard]] bool eventually(So&& so, std::chrono::milliseconds limit = kPatience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kMostPause{20};
  const auto end = Clock::now() + limit;
  for (std::chrono::milliseconds pause{1}; !so(); pause = std::min(2 * pause, kMostPause)) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace flowtap::test
