// Whether what flowtapd may take fits below the limits of its memory, and what `auto` takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stream/memory_limit.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

struct MemoryFit {
  /// As configured, also where a ring of another size goes on, with figures in the place of `auto`.
  StreamOptions options;
  /// What flowtapd takes at most: the ring, the flows with their journal, what waits in memory, and itself.
  std::uint64_t needed = 0;
  /// How much of what a start has to take is not left now below limits that nobody else takes from: a little, or all but the flows
  /// where the kernel has killed for want of memory.
  std::uint64_t short_at_start = 0;
  /// The same without the ring: for less, it would be killed before it could make room in the proper way.
  std::uint64_t short_at_once = 0;
  /// The smallest limit; absent: none is known.
  std::optional<MemoryLimit> limit;
  /// A size each that is auto: "stream.ring_bytes: 64 MiB (auto)".
  std::vector<std::string> taken;
  /// Says what is too much, with figures that fit; empty: it fits.
  std::string too_much;
  /// The figures that fit, as one can write them into the configuration.
  std::string fits;
  /// Why not all limits are known; empty: they are.
  std::string unread;
};

/// `ring`: the size of one that is pinned already and goes on, else 0. `cpus` is how many the machine may have.
[[nodiscard]] MemoryFit fit_memory(const StreamOptions& options, const std::vector<MemoryLimit>& limits,
                                   unsigned cpus, std::uint64_t ring = 0);
/// The same for this process.
[[nodiscard]] MemoryFit fit_memory_here(const StreamOptions& options, std::uint64_t ring = 0);

}  // namespace flowtap
