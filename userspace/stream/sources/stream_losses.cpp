#include "stream/sources/stream_losses.hpp"

#include <algorithm>

namespace flowtap {

std::array<std::uint64_t, FTAP_NR_LOSSES> StreamLosses::of(flow::StreamNo stream) {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ >= kFresh) {
    looked_ = now;
    lost_.clear();
    for (const flow::StreamSlot& slot : streams_.sweep())
      if (std::ranges::any_of(slot.lost, [](std::uint64_t bytes) { return bytes > 0; }))
        lost_.emplace(slot.stream, slot.lost);
  }
  const auto at = lost_.find(stream);
  return at == lost_.end() ? std::array<std::uint64_t, FTAP_NR_LOSSES>{} : at->second;
}

}  // namespace flowtap
