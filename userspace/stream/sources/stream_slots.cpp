#include "stream/sources/stream_slots.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace flowtap {
namespace {

kernel::LogStream log_stream(const flow::StreamSlot& slot) {
  kernel::LogStream stream;
  stream.stream = slot.stream;
  stream.slot = slot.slot;
  stream.state = slot.ended ? FTAP_STREAM_ENDED : FTAP_STREAM_OPEN;
  stream.target = {.device = slot.device,
                   .inode = slot.inode,
                   .kind = slot.kind,
                   .cgroup = slot.cgroup,
                   .pid = slot.pid,
                   .fds = slot.fds,
                   .rule = slot.rule,
                   .start_time = slot.start_time};
  stream.written = slot.written;
  return stream;
}

}  // namespace

std::vector<flow::StreamSlot> stream_slots(const std::vector<kernel::LogStream>& streams) {
  std::vector<flow::StreamSlot> slots;
  slots.reserve(streams.size());
  for (const kernel::LogStream& s : streams)
    slots.push_back({.stream = s.stream,
                     .slot = s.slot,
                     .ended = s.state == FTAP_STREAM_ENDED,
                     .kind = s.target.kind,
                     .device = s.target.device,
                     .inode = s.target.inode,
                     .cgroup = s.target.cgroup,
                     .pid = s.target.pid,
                     .fds = s.target.fds,
                     .rule = s.target.rule,
                     .start_time = s.target.start_time,
                     .passed = s.passed,
                     .written = s.written,
                     .lost = s.lost});
  return slots;
}

std::vector<flow::StreamSlot> StreamSlots::abandoned(const std::vector<flow::StreamSlot>& streams) const {
  if (files_ == nullptr) return {};
  const auto files = files_->list();
  if (!files) return {};
  using Place = std::pair<std::uint32_t, std::uint64_t>;
  std::set<Place> read;
  std::set<Place> output;
  std::map<Place, std::uint64_t> waiting;  // in pipes
  std::set<std::uint64_t> inhabited;
  for (const kernel::OpenFile& f : *files) {
    // A reader that is not listed is known by the pipe itself: it is on its way from one process to another, or is used without
    // a descriptor.
    if (f.readable || f.readers > 0) read.emplace(f.device, f.inode);
    if (f.kind == FTAP_KIND_PIPE) waiting.insert_or_assign({f.device, f.inode}, f.waiting);
    if (f.fd == 1 || f.fd == 2) output.emplace(f.device, f.inode);
    inhabited.insert(f.cgroup);
    inhabited.insert(f.cgroups_above.begin(), f.cgroups_above.end());
  }
  const auto is_used = [&](const flow::StreamSlot& stream) {
    if (stream.kind == FTAP_KIND_PIPE) return read.contains({stream.device, stream.inode});
    if (stream.rule != FTAP_RULE_CONTAINER)
      return output.contains({stream.device, stream.inode}) &&
             (stream.rule == FTAP_RULE_UNIT || has_owner(stream));
    return inhabited.contains(stream.cgroup);
  };
  std::vector<flow::StreamSlot> found;
  std::ranges::copy_if(streams, std::back_inserter(found), std::not_fn(is_used));
  // Whoever has written it may live on, and then has not noted what is in it.
  for (flow::StreamSlot& slot : found)
    if (const auto at = waiting.find({slot.device, slot.inode}); at != waiting.end())
      slot.written = std::max(slot.written, slot.passed + at->second);
  return found;
}

bool StreamSlots::has_owner(const flow::StreamSlot& slot) const {
  return streams_.has_owner(log_stream(slot).target);
}

Status StreamSlots::end(const flow::StreamSlot& slot) {
  return streams_.end(log_stream(slot));
}

Status StreamSlots::abandon(const flow::StreamSlot& slot) {
  return streams_.abandon(log_stream(slot));
}

void StreamSlots::free(const flow::StreamSlot& slot) {
  streams_.free(log_stream(slot));
}

}  // namespace flowtap
