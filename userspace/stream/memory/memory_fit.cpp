#include "stream/memory/memory_fit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "stream/journal/journal_segments.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

// What `auto` takes where there is room, and what it does not go below.
constexpr std::uint64_t kRing = 64 * kMiB;
constexpr std::uint64_t kLeastRing = kMiB;
constexpr std::uint64_t kFlows = 64 * kMiB;
constexpr std::uint64_t kLeastFlows = 16 * kMiB;
constexpr std::uint64_t kJournal = 32 * kMiB;
constexpr std::uint64_t kLeastJournal = 8 * kMiB;

// Measured: 35 MiB with 3,000 flows, some of it for code and the kernel's side; and for each CPU the counters of cgroups and of
// dispatches (tools/bench/figures). With a file that is written flat out, on 2 CPUs: 38 MiB of its own and 20 of the kernel beside
// the ring, of which 8 are buffers_bytes and 1 the CPUs'.
constexpr std::uint64_t kItself = 52 * kMiB;
constexpr std::uint64_t kForEachCpu = kMiB / 2;
// The part of kItself that a start takes until the store is open and can make room, without the segment of the journal
// that it reads. Measured with full flows and a pinned ring, on 2 CPUs (Linux 6.18, the cgroup's usage read each
// millisecond, four starts): up to 15.1 MiB before the stream path opens, and 20.2 while it does, of which 2.7 are the
// segment and 1 the CPUs'. A whole start takes 24.5, and 30.1 at its peak, which the flows have made room for by then.
constexpr std::uint64_t kToBegin = 18 * kMiB;

// While a flow's older half makes room, the later half is in memory. kItself has that of a flow of the usual size.
constexpr std::uint64_t kUsualFlow = 10 * kMiB;
std::uint64_t rewritten(std::uint64_t flow_bytes, std::uint64_t flows) {
  return (std::max(std::min(flow_bytes, flows), kUsualFlow) - kUsualFlow) / 2;
}
// How much of this room flows may take, so that there is memory for that, too.
std::uint64_t flows_in(std::uint64_t room, std::uint64_t flow_bytes) {
  const std::uint64_t largest = room <= kUsualFlow ? room : (2 * room + kUsualFlow) / 3;
  return largest <= flow_bytes ? largest : room - std::min(room, rewritten(flow_bytes, room));
}

// Stands for as much as one likes.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;

// The kernel rounds it up.
std::uint64_t ring_of(std::uint64_t bytes) {
  return std::bit_ceil(bytes);
}

struct Sizes {
  std::uint64_t ring = 0;
  std::uint64_t flows = 0;
  std::uint64_t journal = 0;
};

// 0 stands for auto. `room` is what ring and flows may take together, with what it takes to rewrite one of `flow_bytes`.
Sizes choose(Sizes sizes, std::uint64_t room, std::uint64_t flow_bytes) {
  const auto beside = [room](std::uint64_t other) { return room - std::min(room, other); };
  const bool flows_are_auto = sizes.flows == kAutoSize;
  std::uint64_t least = kLeastFlows;  // that the journal fits into
  if (sizes.journal != kAutoSize) least = std::max(least, sizes.journal + sizes.journal / 3 + 1);
  if (sizes.ring == kAutoSize) {
    const std::uint64_t flows = flows_are_auto ? least : sizes.flows;
    const std::uint64_t most =
        std::min(flows_are_auto ? room / 2 : room, beside(flows + rewritten(flow_bytes, flows)));
    sizes.ring = std::clamp(std::bit_floor(most), kLeastRing, kRing);
  }
  if (flows_are_auto)
    sizes.flows = std::max(
        std::min(std::max(kFlows, least), flows_in(beside(ring_of(sizes.ring)), flow_bytes) / kMiB * kMiB),
        least);
  if (sizes.journal == kAutoSize) {
    const std::uint64_t most = std::max(std::min(kJournal, sizes.flows / 2), kLeastJournal);
    sizes.journal = std::min(most, max_journal_bytes(sizes.flows));
  }
  return sizes;
}

void say(std::vector<std::string>& out, const char* key, std::uint64_t configured, std::uint64_t bytes) {
  if (configured == kAutoSize) out.push_back(fmt::format("{}: {} (auto)", key, mib(bytes)));
}

// All but `taken`.
MemoryFit fit_sizes(const StreamOptions& options, const std::vector<MemoryLimit>& limits, unsigned cpus,
                    const HeldMemory& held) {
  const std::uint64_t ring = held.ring;
  MemoryFit fit;
  fit.options = options;
  const MemoryLimit* limit = smallest(limits);
  if (limit != nullptr) fit.limit = *limit;
  const std::uint64_t flow_bytes = options.lines.flows.flow_bytes;
  const std::uint64_t base = kItself + cpus * kForEachCpu + options.lines.flows.buffers_bytes;
  const std::uint64_t room = limit == nullptr ? kNoLimit : limit->bytes - std::min(limit->bytes, base);
  LineOptions& lines = fit.options.lines;
  const Sizes configured{options.ring_bytes, lines.flows_bytes, lines.journal_bytes};
  const Sizes sizes =
      choose({ring != 0 ? ring : configured.ring, configured.flows, configured.journal}, room, flow_bytes);
  const std::uint64_t itself = base + rewritten(flow_bytes, sizes.flows);
  fit.options.ring_bytes = configured.ring == kAutoSize ? sizes.ring : configured.ring;
  lines.flows_bytes = sizes.flows;
  lines.journal_bytes = sizes.journal;

  // The ring of an earlier start and the counters that are pinned with it are charged already. So they are contained
  // both in what is charged beside the flows and in what flowtapd takes. Only the larger of these two counts, so flows
  // lose nothing if their size fits. What a flowtapd in another cgroup has left is charged to that cgroup.
  const std::uint64_t at_once = kToBegin + cpus * kForEachCpu + journal_segment_bytes(sizes.journal);
  const std::uint64_t new_ring = ring != 0 ? 0 : ring_of(sizes.ring);
  for (const MemoryLimit& own : limits) {
    if (!own.own) continue;
    const std::uint64_t charged = own.bytes - own.left;
    const std::uint64_t flows = std::min({held.flows, own.shmem, charged});
    const std::uint64_t beside = charged - flows;
    const auto left_by = [&own](std::uint64_t taken) { return own.bytes - std::min(own.bytes, taken); };
    const std::uint64_t keep = std::min(left_by(beside + new_ring + at_once),
                                        flows_in(left_by(ring_of(sizes.ring) + base), flow_bytes));
    fit.short_at_start = std::max(fit.short_at_start, flows - std::min(flows, keep));
    fit.short_at_once = std::max(fit.short_at_once, std::min(flows, at_once - std::min(at_once, own.left)));
  }
  fit.needed = ring_of(sizes.ring) + sizes.flows + itself;
  const Sizes other = choose({ring, kAutoSize, kAutoSize}, room, flow_bytes);
  fit.fits = fmt::format("stream.ring_bytes: {}, stream.flows_bytes: {}, stream.journal_bytes: {}",
                         other.ring, other.flows, other.journal);
  if (limit == nullptr || fit.needed <= limit->bytes) return fit;
  const auto whole = [&](const Sizes& of) {
    return ring_of(of.ring) + of.flows + base + rewritten(flow_bytes, of.flows);
  };
  const std::uint64_t least = whole(other);
  fit.too_much = fmt::format(
      "flowtapd may take {} (ring {}, flows {}, itself {}), but the kernel {} above {} ({}); {}",
      mib(fit.needed), mib(ring_of(sizes.ring)), mib(sizes.flows), mib(itself),
      limit->slows ? "slows it down" : "kills it", mib(limit->bytes), limit->whose,
      least <= limit->bytes ? "auto fits, and so does " + fit.fits : "it needs at least " + mib(least));
  const Sizes anew = choose(configured, room, flow_bytes);
  if (ring != 0 && whole(anew) <= limit->bytes)
    fit.too_much += fmt::format(
        "; the ring is left from an earlier start: flowtapd --detach ends it, and the next start makes one "
        "of {}",
        mib(ring_of(anew.ring)));
  // A ring that is too large is refused. Flows would grow until flowtapd is killed, and again after each start.
  const std::uint64_t kept = std::max(flows_in(room - std::min(room, ring_of(sizes.ring)), flow_bytes),
                                      std::min(sizes.flows, kLeastFlows)) /
                             kMiB * kMiB;
  lines.flows_bytes = std::min(sizes.flows, kept);
  lines.journal_bytes = std::min(sizes.journal, max_journal_bytes(lines.flows_bytes));
  if (kept < sizes.flows) fit.too_much += fmt::format("; until then, flows get no more than {}", mib(kept));
  return fit;
}

}  // namespace

MemoryFit fit_memory(const StreamOptions& options, const std::vector<MemoryLimit>& limits, unsigned cpus,
                     const HeldMemory& held) {
  MemoryFit fit = fit_sizes(options, limits, cpus, held);
  const LineOptions& lines = fit.options.lines;
  say(fit.taken, "stream.ring_bytes", options.ring_bytes, fit.options.ring_bytes);
  say(fit.taken, "stream.flows_bytes", options.lines.flows_bytes, lines.flows_bytes);
  say(fit.taken, "stream.journal_bytes", options.lines.journal_bytes, lines.journal_bytes);
  return fit;
}

MemoryFit fit_memory_here(const StreamOptions& options, const HeldMemory& held) {
  const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  std::string unread;
  MemoryFit fit =
      fit_memory(options, memory_limits(unread), cpus > 0 ? static_cast<unsigned>(cpus) : 1, held);
  fit.unread = std::move(unread);
  return fit;
}

}  // namespace flowtap
