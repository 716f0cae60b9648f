// The gaps of one flow, looked for once in what its runtime has kept.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "stream/repair/gapped_output.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What became of bytes that were missing. The words stand in metrics.
enum class RefillResult : std::uint8_t {
  kExact,        ///< found, exactly as many as were missing, between the bytes that were captured
  kApproximate,  ///< the best match, and marked so in the flow's file
  kUnfilled,     ///< what the runtime has kept does not tell
  kNoSource,     ///< the runtime keeps no file that can be read
  kNoRoom,       ///< newer lines would have to go for them
};
constexpr std::size_t kRefillResults = 5;
[[nodiscard]] std::string_view to_string(RefillResult result);

/// Up to where it is known what became of each gap of a flow, or that it was given up.
struct GapsDecided {
  std::uint64_t flow = 0;                     ///< FlowStore::Flow::number
  std::size_t edits = 0;                      ///< FlowStore::Bounds::edits that the positions are of
  std::array<flow::LogPosition, 2> before{};  ///< of standard output and error
};

struct GapOptions {
  bool last = false;  ///< the file is not waited for any longer: what was not found is given up
};

struct GapRound {
  std::array<std::uint64_t, kRefillResults> bytes{};  ///< that are decided, by what became of them
  std::uint64_t open = 0;                             ///< bytes in gaps that may be found later
};

/// Reads the flow's log and, from a little before its first gap that is not decided on, the runtime's files, at most
/// kMostKept bytes of each output; and puts what it finds in the places of the gaps. When nothing is open, or this was the
/// last round, `decided` stands behind them: but not behind one at the end of a flow that has not ended, as what it lacks is
/// known from what comes behind it, or from its end.
[[nodiscard]] GapRound fill_gaps(flow::FlowStore& store, const Histories& histories, const std::string& id,
                                 GapsDecided& decided, const GapOptions& options);

}  // namespace flowtap
