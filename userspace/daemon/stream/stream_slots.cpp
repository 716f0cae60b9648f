#include "daemon/stream/stream_slots.hpp"

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
                   .fds = slot.fds};
  return stream;
}

}  // namespace

std::vector<flow::StreamSlot> StreamSlots::sweep() const {
  std::vector<flow::StreamSlot> slots;
  for (const kernel::LogStream& s : streams_.sweep())
    slots.push_back({.stream = s.stream,
                     .slot = s.slot,
                     .ended = s.state == FTAP_STREAM_ENDED,
                     .kind = s.target.kind,
                     .device = s.target.device,
                     .inode = s.target.inode,
                     .cgroup = s.target.cgroup,
                     .pid = s.target.pid,
                     .fds = s.target.fds,
                     .passed = s.passed,
                     .lost = s.lost});
  return slots;
}

Status StreamSlots::end(const flow::StreamSlot& slot) {
  return streams_.end(log_stream(slot));
}

void StreamSlots::free(const flow::StreamSlot& slot) {
  streams_.free(log_stream(slot));
}

}  // namespace flowtap
