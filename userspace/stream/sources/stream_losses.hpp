// What the kernel's programs have lost of each stream, for whoever makes lines and meets a gap.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "kernel/records/stream_control.hpp"

namespace flowtap {

/// A look at all slots takes some time, and gaps come in crowds. So one look answers for all that is asked soon after it. Used by
/// one thread.
class StreamLosses {
 public:
  /// It must outlive this.
  explicit StreamLosses(const flow::StreamControl& streams) : streams_(streams) {}

  /// Bytes by cause, as of at most kFresh ago. Zeros: none, or the stream has no slot.
  [[nodiscard]] std::array<std::uint64_t, FTAP_NR_LOSSES> of(flow::StreamNo stream);

  static constexpr std::chrono::milliseconds kFresh{50};

 private:
  const flow::StreamControl& streams_;
  std::chrono::steady_clock::time_point looked_{};
  std::unordered_map<flow::StreamNo, std::array<std::uint64_t, FTAP_NR_LOSSES>> lost_;  // those with losses
};

}  // namespace flowtap
