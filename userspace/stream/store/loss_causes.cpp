#include "stream/store/loss_causes.hpp"

#include <algorithm>
#include <cstddef>

namespace flowtap::flow {
namespace {

static_assert(static_cast<int>(MissingCause::kRingFull) == FTAP_LOSS_RING_FULL &&
              static_cast<int>(MissingCause::kFault) == FTAP_LOSS_FAULT &&
              static_cast<int>(MissingCause::kUncaptured) == FTAP_LOSS_UNCAPTURED &&
              static_cast<int>(MissingCause::kQuiet) == FTAP_LOSS_QUIET &&
              static_cast<int>(MissingCause::kUnread) == FTAP_LOSS_UNREAD);

}  // namespace

MissingCause LossCauses::take(std::uint64_t bytes, const Losses& lost) {
  Losses left{};
  for (std::size_t i = 0; i < lost.size(); ++i)
    left.at(i) = lost.at(i) - std::min(lost.at(i), explained_.at(i));
  const auto most = std::ranges::max_element(left);
  // The sums may be a moment old. Losses come in a row, so it is the same cause as before.
  if (*most == 0) return latest_;
  const auto at = static_cast<std::size_t>(most - left.begin());
  explained_.at(at) += std::min(bytes, *most);
  return latest_ = static_cast<MissingCause>(at);
}

}  // namespace flowtap::flow
