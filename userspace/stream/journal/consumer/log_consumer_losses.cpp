// What the consumer finds out of the kernel's programs' losses when it looks through the slots.
#include <numeric>

#include "base/wall_clock.hpp"
#include "stream/journal/consumer/log_consumer.hpp"

namespace flowtap::flow {

void LogConsumer::count_slots(const std::vector<StreamSlot>& slots) {
  std::uint64_t open = 0;
  auto lost = lost_by_freed_;
  for (const StreamSlot& slot : slots) {
    open += slot.ended ? 0 : 1;
    if (is_followed_file(slot.stream)) continue;  // what the tap lost may stand in the file
    for (std::size_t i = 0; i < lost.size(); ++i) lost.at(i) += slot.lost.at(i);
  }
  if (files_ != nullptr) lost.at(FTAP_LOSS_UNCAPTURED) += files_->counts().missing;
  open_streams_ = open;
  for (std::size_t i = 0; i < lost.size(); ++i) lost_.at(i) = lost.at(i);
}

// The next record, or the end, of a stream tells what was lost before it. A stream that is silent behind a loss may have neither for
// days. What has passed is what the journal has and what was lost, so nothing of it is on its way. A slot is not read at one
// moment, so it has to say the same twice.
void LogConsumer::tell_lost(const StreamSlot& slot, Clock::time_point now) {
  const auto lost = std::accumulate(slot.lost.begin(), slot.lost.end(), std::uint64_t{0});
  const auto known = journal_.stream(slot.stream);
  if (lost == 0 || !known || known->sums.passed >= slot.passed ||
      known->sums.captured + lost != slot.passed) {
    silent_.erase(slot.stream);
    return;
  }
  const auto seen = silent_.try_emplace(slot.stream, Silent{now, slot.passed, lost}).first;
  if (seen->second.passed != slot.passed || seen->second.lost != lost)
    seen->second = {now, slot.passed, lost};
  if (now - seen->second.since < kDrained) return look_again(now, kDrained);
  silent_.erase(seen);
  StreamSums sums = known->sums;
  sums.passed = slot.passed;
  sums.last = wall_ns();
  batch_.add(StateEntry{slot.stream, sums});
}

// A read that came behind the end is counted in the slot only (bpf/lib/log/late.bpf.h). Nothing is in the ring any more, so the end is
// told again with these bytes.
void LogConsumer::tell_late(const StreamSlot& slot) {
  const auto known = journal_.stream(slot.stream);
  if (!known || !known->sums.ended || known->sums.passed >= slot.passed || is_followed_file(slot.stream))
    return;
  batch_.add(EndEntry{slot.stream, slot.passed, wall_ns(), slot.lost});
}

}  // namespace flowtap::flow
