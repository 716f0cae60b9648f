// Whether what flowtapd may take fits below the limits of its memory, and what `auto` takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stream/memory/memory_limit.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

struct MemoryFit {
  /// As configured, also where a ring of another size goes on, with figures in the place of `auto`. Flows that would not fit, and
  /// their journal, are less.
  StreamOptions options;
  /// What flowtapd takes at most: the ring, the flows with their journal, what waits in memory, and itself.
  std::uint64_t needed = 0;
  /// How much of what was captured earlier has to go, so that the rest fits below the limits that nobody else takes from. What is
  /// charged there already and what flowtapd takes have to fit, too. 0 where the sizes fit, however full the flows are.
  std::uint64_t short_at_start = 0;
  /// How much of it has to go before anything else: for less, a start would be killed before it could make room in the proper way.
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

/// What is there from before, in bytes; 0: nothing.
struct HeldMemory {
  std::uint64_t ring = 0;   ///< the size of one that is pinned and goes on
  std::uint64_t flows = 0;  ///< what the tmpfs of flows takes: flows_held()
};

/// `cpus` is how many the machine may have.
[[nodiscard]] MemoryFit fit_memory(const StreamOptions& options, const std::vector<MemoryLimit>& limits,
                                   unsigned cpus, const HeldMemory& held = {});
/// The same for this process.
[[nodiscard]] MemoryFit fit_memory_here(const StreamOptions& options, const HeldMemory& held = {});

}  // namespace flowtap
