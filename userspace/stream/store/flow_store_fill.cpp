// Filling gaps while lines are added.
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/threads/thread_nice.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap::flow {
namespace {

// The most drafts that one fill() makes.
constexpr int kMostDrafts = 4;

std::unexpected<Error> no_room(const FlowLog& log) {
  return std::unexpected(Error{"there is no room for what was missing of " + log.id(), {}, ENOSPC});
}

}  // namespace

void FlowStore::when_gapped(std::function<void()> told) {
  const std::scoped_lock lock(mutex_);
  told_of_gap_ = std::move(told);
}

// A derived flow's gaps are not noted: what it lacks is missing in another flow as well.
void FlowStore::note_gaps(const Flow& flow) {
  if (!flow.derived && flow.log.missing() > 0 && gapped_.insert(flow.log.id()).second && told_of_gap_)
    told_of_gap_();
}

std::vector<std::string> FlowStore::take_gapped() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> gapped(gapped_.begin(), gapped_.end());
  taken_.merge(gapped_);
  gapped_.clear();
  return gapped;
}

void FlowStore::settle_gaps(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  taken_.erase(id);
}

void FlowStore::settle_gaps() {
  const std::scoped_lock lock(mutex_);
  taken_.clear();
}

bool FlowStore::is_sought(const Flow& flow) const {
  return flow.log.missing() > 0 && (gapped_.contains(flow.log.id()) || taken_.contains(flow.log.id()));
}

Result<std::uint64_t> FlowStore::fill(const Ref& flow, std::span<const GapFill> fills) {
  const std::scoped_lock one(filling_);
  for (int drafts = 1;; ++drafts) {
    // A filler may run behind everything else that the node does, but not while all others wait for it.
    std::optional<ThreadNice> in_front(0);
    std::unique_lock lock(mutex_);
    if (flow->gone) return 0;
    FTAP_TRY_ASSIGN(room, make_room_for(*flow, fills));
    FTAP_TRY_ASSIGN(draft, flow->log.draft_fill(fills, room.most));
    // The lock is kept for the last draft, since a log may lose its beginning again and again. It is kept as well where two such
    // files are much of the free room: then nothing is written meanwhile that would need the draft's room.
    const bool waits = drafts == kMostDrafts || room.free < room.takes + options_.buffers_bytes;
    if (!waits) lock.unlock(), in_front.reset();
    FTAP_TRY(draft.make(fills));
    if (!waits) in_front.emplace(0), lock.lock();
    if (flow->gone) return 0;
    if (!waits) {
      // Others may have taken the room meanwhile, and what they wrote is newer.
      FTAP_TRY_ASSIGN(now, make_room_for(*flow, fills, draft.fresh.size));
      if (draft.fresh.size + flow->log.written().length - draft.length > now.most && draft.fresh.fd.valid())
        continue;
    }
    FTAP_TRY_ASSIGN(filled, change(flow->log, [&] { return flow->log.fill(draft, fills); }));
    if (!filled) continue;
    stats_.evicted_bytes.at(static_cast<std::size_t>(room.reason)) += draft.cut;
    if (*filled > 0) changed_.push_back(flow);
    write_index();
    if (*filled > 0) followers_.tell(std::array{flow->number});
    return *filled;
  }
}

std::uint64_t FlowStore::free_bytes() const {
  std::error_code error;
  const auto space = std::filesystem::space(options_.dir, error);
  return error ? 0 : space.available;
}

// What is older in the same log makes room for what was found, as it does for new lines. Fails where other flows' newer lines would
// have to.
Result<FlowStore::FillRoom> FlowStore::make_room_for(const Flow& flow, std::span<const GapFill> fills,
                                                     std::uint64_t drafted) {
  const FlowLog& log = flow.log;
  const std::uint64_t length = log.written().length;
  std::uint64_t in_file = 0;
  std::uint64_t in_memory = 0;
  for (const GapFill& fill : fills)
    (fill.at < log.base() + length ? in_file : in_memory) +=
        fill.text.size() - std::min(fill.text.size(), fill.gap.size());
  const std::uint64_t behind = log.buffered() + in_memory;
  FillRoom room{
      .most = std::max(options_.flow_bytes - std::min(options_.flow_bytes, behind), options_.flow_bytes / 2)};
  const std::uint64_t grows = std::min(length + in_file, room.most) - std::min(length, room.most);
  if (!make_room_before(flow, grows + in_memory)) {
    const std::uint64_t free = options_.store_bytes - std::min(options_.store_bytes, file_bytes_);
    if (in_memory > free) return no_room(log);
    room.most = std::min(room.most, file_pages(length) + free - in_memory);
    room.reason = Eviction::kStoreBytes;
  }
  if (buffered_ + in_memory > options_.buffers_bytes) return no_room(log);
  write_index();
  // The new file stands beside the old one.
  room.free = free_bytes() + drafted;
  room.takes = std::min(length + in_file, room.most);
  if (room.free < room.takes) room.most = room.takes = room.free, room.reason = Eviction::kStoreBytes;
  return room;
}

// Flows that ended before this one make room for this many more bytes of it, as they would for new lines. False: that would not
// be enough.
bool FlowStore::make_room_before(const Flow& flow, std::uint64_t grows) {
  const std::uint64_t length = flow.log.written().length;
  const std::uint64_t wanted = file_pages(length + grows) - file_pages(length);
  const auto most = options_.store_bytes - std::min(options_.store_bytes, wanted);
  std::uint64_t can_go = 0;
  for (const auto& [id, other] : flows_)
    if (is_over(*other) && (!is_over(flow) || other->over_since() < flow.over_since()))
      can_go += file_pages(other->log.written().length);
  if (file_bytes_ > most + can_go) return false;
  while (file_bytes_ > most) remove(oldest_over(), Eviction::kStoreBytes);
  return true;
}

std::size_t FlowStore::move(const Flow& flow, std::size_t edits, std::span<LogPosition* const> positions,
                            std::uint64_t& lines) const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t ignored = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    flow.log.move(edits, *positions[i], i == 0 ? lines : ignored);
  return flow.log.edits();
}

}  // namespace flowtap::flow
