// How the consumer ends, and what it does while the journal has no room: the ring keeps what the lines' thread, which takes all of the
// journal, cannot get yet. So the journal gives up what was not taken only once both are full.
#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "stream/journal/consumer/log_consumer.hpp"

namespace flowtap::flow {
namespace {

constexpr std::chrono::milliseconds kNoMemory{10};  // until there may be some again

// The ring keeps what the journal has no room for. Some of it stays free for what comes while the consumer waits for a CPU: what
// writers can bring in that time does not get less where the ring is small.
bool is_full(const RecordSource::Fill& ring) {
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 20U;
  const std::uint64_t free = std::min(ring.capacity / 2, std::max(ring.capacity / 10, kLeast));
  return ring.capacity != 0 && ring.held + free >= ring.capacity;
}

}  // namespace

// Whether another batch would cost the taker some of what it has not taken. One that stands still is not waited for: nothing would
// ever come, and streams that end in the ring would keep their slots.
bool LogConsumer::is_taker_behind(Clock::time_point now) {
  if (journal_.untaken() <= journal_.most_untaken()) {
    still_since_.reset();
    still_at_.reset();
    return false;
  }
  const auto at = journal_.taken_to();
  // A taker that begins anew has not come further.
  if (!still_since_ || !still_at_ || at > *still_at_) {
    still_since_ = now;
    still_at_ = at;
  }
  return now - *still_since_ < options_.taker_patience;
}

bool LogConsumer::waits_for_taker(Clock::time_point now) {
  return !takes_all_ && is_taker_behind(now) && !is_full(fill_());
}

// A container that begins while its ENTER waits in the ring may be gone when that is drained, and what it is called with it.
void LogConsumer::look_ahead() {
  std::vector<Enter> begun;
  const auto to =
      source_.look_ahead(std::max(looked_to_, source_.position()), [&begun](std::span<const std::byte> raw) {
        auto record = parse_record(raw);
        if (auto* enter = record ? std::get_if<Enter>(&record->what) : nullptr)
          begun.push_back(std::move(*enter));
      });
  if (!to) return;  // a drain meets the same error, and counts it
  looked_to_ = *to;
  begun_ahead_ += begun.size();
  for (Enter& enter : begun) begin(std::move(enter));
}

// What has come before the end is taken before it, as far as the journal has room soon. A flood does not hold up the end for ever.
void LogConsumer::run(const std::atomic<bool>& stop, std::atomic<std::uint64_t>& failed) noexcept {
  std::optional<Clock::time_point> until;
  for (bool last = false; !last;) {
    ends_ = stop;
    if (ends_ && !until) until = options_.now() + options_.last_patience;
    const bool is_late = ends_ && options_.now() >= *until;
    takes_all_ = is_late && !options_.ring_stays();
    try {
      round();
      last = ends_ && (is_late || is_drained_ || source_.head() == source_.position());
    } catch (const std::exception&) {
      ++failed;
      last = ends_;
      std::this_thread::sleep_for(kNoMemory);
    }
  }
}

}  // namespace flowtap::flow
