// Looks once for the gaps of one flow in what its runtime has kept.
#pragma once

#include <string>

#include "stream/repair/gaps/gap_finder.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Puts what a GapFinder finds in the places of the gaps.
[[nodiscard]] GapRound fill_gaps(flow::FlowStore& store, const Histories& histories, const std::string& id,
                                 GapsDecided& decided, const GapFinder::Options& options);

}  // namespace flowtap
