// The records between two positions of a BPF ring buffer's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Calls back with each finished record between the positions `from` and `to`, oldest first, until one is still being
/// written or about `limit` bytes were given. Returns the position after the last one.
///
/// `data` is the ring's data area mapped twice in a row, as the kernel offers it, so no record is in two parts; its
/// size is twice a power of two. Lengths are checked against it: an Error says that this is not a ring buffer of the
/// kernel.
[[nodiscard]] Result<std::uint64_t> walk_ring(std::span<const std::byte> data, std::uint64_t from,
                                              std::uint64_t to, std::size_t limit,
                                              const std::function<void(std::span<const std::byte>)>& take);

}  // namespace flowtap::kernel
