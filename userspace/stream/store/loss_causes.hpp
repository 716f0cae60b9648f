// Finds out why the bytes of a gap are missing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "kernel/records/record.hpp"
#include "stream/lines/missing_cause.hpp"

namespace flowtap::flow {

/// Bytes of one stream that the kernel's programs have lost so far, by cause (ftap_log_loss).
using Losses = std::array<std::uint64_t, FTAP_NR_LOSSES>;
/// What is known now of a stream's losses; zeros: nothing.
using KnownLosses = std::function<Losses(StreamNo)>;

/// Tells one stream's gaps from the sums of its losses. Gaps are told in order, and soon after they came. So the cause of a gap is
/// the one whose sum has grown most beyond what the gaps before it have explained.
class LossCauses {
 public:
  /// For a gap of this many bytes.
  [[nodiscard]] MissingCause take(std::uint64_t bytes, const Losses& lost);

 private:
  Losses explained_{};
  MissingCause latest_ = MissingCause::kUnknown;
};

}  // namespace flowtap::flow
