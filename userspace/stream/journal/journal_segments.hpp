// How large the segments of the journal are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flowtap {

/// Of a journal of this size. A twelfth of it makes room at once, so that at least eleven twelfths are kept. Segments smaller
/// than a drain of the ring (1 MiB) would mean a file for each batch. Larger ones than 64 MiB would free much at once, and a start
/// reads a segment whole.
[[nodiscard]] constexpr std::uint64_t journal_segment_bytes(std::uint64_t journal_bytes) {
  return std::clamp(journal_bytes / 12, std::uint64_t{1} << 20U, std::uint64_t{64} << 20U);
}

}  // namespace flowtap
