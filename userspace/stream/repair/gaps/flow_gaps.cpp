#include "stream/repair/gaps/flow_gaps.hpp"

#include <algorithm>
#include <cerrno>

namespace flowtap {
namespace {

// A gap that has moved meanwhile is found by another look.
void note_filled(const GapFinder& finder, std::uint64_t filled, GapRound& round) {
  const std::uint64_t exact = std::min(finder.exact(), filled);
  const std::uint64_t approximate = std::min(finder.approximate(), filled - exact);
  round.decide(RefillResult::kExact, exact);
  round.decide(RefillResult::kApproximate, approximate);
  round.open += finder.exact() + finder.approximate() - exact - approximate;
}

}  // namespace

GapRound fill_gaps(flow::FlowStore& store, const Histories& histories, const std::string& id,
                   GapsDecided& decided, const GapFinder::Options& options) {
  GapFinder finder(store, histories, id, decided, options);
  while (!finder.step()) continue;
  GapRound& round = finder.round();
  if (!finder.fills().empty()) {
    const auto filled = store.fill(finder.flow(), finder.fills());
    const std::uint64_t bytes = finder.exact() + finder.approximate();
    if (filled)
      note_filled(finder, *filled, round);
    else if (filled.error().code == ENOSPC)
      round.decide(RefillResult::kNoRoom, bytes);
    else if (options.last)
      round.decide(RefillResult::kUnfilled, bytes);
    else
      round.open += bytes;  // they were found, and writing them may succeed the next time
  }
  finder.settle();
  return round;
}

}  // namespace flowtap
