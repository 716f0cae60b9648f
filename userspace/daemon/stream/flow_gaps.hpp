// The gaps of one flow, looked for once in what its runtime has kept.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "daemon/stream/refiller.hpp"

namespace flowtap {

struct GapOptions {
  /// Of standard output and error: only gaps of this time (ns since 1970) and later.
  std::array<std::uint64_t, 2> since{};
  bool last = false;  ///< the file is not waited for any longer: what was not found is given up
};

struct GapRound {
  std::array<std::uint64_t, kRefillResults> bytes{};  ///< that are decided, by what became of them
  std::uint64_t open = 0;                             ///< bytes in gaps that may be found later
  std::array<std::uint64_t, 2> next{};                ///< later than the latest gap of each output
};

/// Reads the flow's log and, from a little before its first gap on, the runtime's files, at most kMostKept bytes of each
/// output; and puts what it finds in the places of the gaps.
[[nodiscard]] GapRound fill_gaps(flow::FlowStore& store, const RuntimeHistory& history, const std::string& id,
                                 const GapOptions& options);

constexpr std::size_t kMostKept = std::size_t{16} << 20U;

}  // namespace flowtap
