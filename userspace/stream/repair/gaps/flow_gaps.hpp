// Looks once for the gaps of one flow in what its runtime has kept.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "stream/repair/gaps/gapped_output.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What became of bytes that were missing. The words stand in metrics.
enum class RefillResult : std::uint8_t {
  kExact,        ///< found between the captured bytes, exactly as many as were missing
  kApproximate,  ///< the best match, and marked so in the flow's file
  kUnfilled,     ///< what the runtime has kept does not tell the bytes
  kNoSource,     ///< the runtime keeps no file that can be read
  kNoRoom,       ///< other flows' newer lines, or most of this flow's, would have to make room for them
};
constexpr std::size_t kRefillResults = 5;
[[nodiscard]] std::string_view to_string(RefillResult result);

/// Up to where it is known what became of each of a flow's gaps: filled or given up.
struct GapsDecided {
  std::uint64_t flow = 0;                     ///< FlowStore::Flow::number
  std::size_t edits = 0;                      ///< FlowStore::Bounds::edits when the positions were taken
  std::array<flow::LogPosition, 2> before{};  ///< of standard output and error
};

struct GapOptions {
  /// The file is not waited for any longer: what was looked for and not found is given up.
  bool last = false;
  /// So is what was not looked for yet.
  bool gives_up = false;
};

struct GapRound {
  std::array<std::uint64_t, kRefillResults> bytes{};  ///< bytes that are decided, by what became of them
  std::uint64_t open = 0;                             ///< bytes in gaps that may be found later
};

/// Reads the flow's log and the runtime's files, at most kMostKept bytes of each output and half of what the store may have, and puts
/// what it finds in the places of the gaps. It reads the files from a little before the first gap that is not decided. When nothing
/// is open, or this was the last round, `decided` stands behind the gaps. It does not stand behind a gap at the end of a flow that
/// has not ended, since what such a gap lacks is known only from what comes behind it, or from the flow's end.
[[nodiscard]] GapRound fill_gaps(flow::FlowStore& store, const Histories& histories, const std::string& id,
                                 GapsDecided& decided, const GapOptions& options);

}  // namespace flowtap
