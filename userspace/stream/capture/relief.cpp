#include "stream/capture/relief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <span>

#include "base/wall_clock.hpp"
#include "stream/capture/progress.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/files/followed_file.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// What is written from then on has to fit into the ring, so the ring must have been drained. A ring that stands still for so long is
// given up.
constexpr auto kDrainLongest = 10s;
// Finding names takes some looks at files. A stream that has no name by then gets one from its new slot.
constexpr auto kNamesLongest = 1s;
// The journal may be smaller than what waits in the ring. What is written meanwhile goes into the room that is left there.
constexpr double kWaitBelow = 0.9;
constexpr std::uint64_t kNearlyDrained = std::uint64_t{256} << 10U;

// The slots of another build. Nothing is changed in them.
class OlderSlots final : public flow::StreamControl {
 public:
  OlderSlots(kernel::LogOlder& older, kernel::LogStreams ours) : older_(older), ours_(std::move(ours)) {}

  [[nodiscard]] std::vector<flow::StreamSlot> sweep() const override { return stream_slots(older_.sweep()); }
  [[nodiscard]] std::vector<flow::StreamSlot> abandoned(
      const std::vector<flow::StreamSlot>& /*streams*/) const override {
    return {};
  }
  Status end(const flow::StreamSlot& slot) override {
    older_.drop(slot.stream);
    return {};
  }
  Status abandon(const flow::StreamSlot& slot) override { return end(slot); }
  void free(const flow::StreamSlot& slot) override { older_.drop(slot.stream); }
  flow::NameKept keep_name(flow::StreamNo /*stream*/, std::span<const std::byte> /*name*/) override {
    return flow::NameKept::kYes;  // this build keeps it, under the stream's new number
  }
  [[nodiscard]] std::vector<std::byte> kept_name(flow::StreamNo stream) const override {
    return older_.names().kept(stream);
  }
  [[nodiscard]] std::vector<flow::StreamNo> kept_names() const override { return {}; }
  void forget_name(flow::StreamNo /*stream*/) override {}
  [[nodiscard]] flow::StreamNo take_number() override { return ours_.take_number(); }
  void beat() override { older_.beat(); }
  void wake(bool /*on*/) override {}

 private:
  kernel::LogOlder& older_;
  kernel::LogStreams ours_;  // gives the new numbers
};

// Drains one older ring. Not to be moved: the consumer refers to the rest.
class OlderDrain {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OlderDrain>> open(kernel::LogOlder& older,
                                                                kernel::LogStreams ours,
                                                                flow::Journal& journal, flow::Namer& namer) {
    FTAP_TRY_ASSIGN(ring, older.ring());
    return std::unique_ptr<OlderDrain>(
        new OlderDrain(older, std::move(ours), std::move(ring), journal, namer));
  }

  /// Drains until little waits in the ring, while its programs may fill it, and all streams have their names.
  void drain_nearly() {
    const auto begin = Clock::now();
    do consumer_.round();
    while ((ring_->backlog() > kNearlyDrained && Clock::now() - begin < kDrainLongest) ||
           waits_for_names(begin));
  }
  /// Its programs are at rest: drains all, however long that takes on a busy machine. What stays would be in no flow, and missing
  /// in none, until the next start.
  void drain_all() {
    consumer_.rest();
    const auto begin = Clock::now();
    Progress progress(kDrainLongest, begin);
    do consumer_.round();
    while ((ring_->backlog() > 0 && progress.goes_on(ring_->position(), Clock::now())) ||
           waits_for_names(begin));
  }

  /// Its programs are at rest, and the ring is empty.
  void settle() { consumer_.settle(); }

  [[nodiscard]] std::uint64_t backlog() const { return ring_->backlog(); }

 private:
  OlderDrain(kernel::LogOlder& older, kernel::LogStreams ours, std::unique_ptr<kernel::RingReader> ring,
             flow::Journal& journal, flow::Namer& namer)
      : slots_(older, std::move(ours)),
        ring_(std::move(ring)),
        consumer_(*ring_, journal, slots_, namer, {.taker_patience = kDrainLongest, .wait_below = kWaitBelow},
                  &files_) {
    // Followed files are left out: the journal counts their bytes otherwise than the older build, and the files have all of them.
    for (const flow::StreamView& stream : journal.streams())
      if (notes_of(stream)) files_.leave_out(stream.number);
  }

  [[nodiscard]] bool waits_for_names(Clock::time_point begin) const {
    return consumer_.counts().nameless > 0 && Clock::now() - begin < kNamesLongest;
  }

  flow::FileStreams files_;
  OlderSlots slots_;
  std::unique_ptr<kernel::RingReader> ring_;
  flow::LogConsumer consumer_;
};

// A build that was killed after it had gone on with a stream, and before it had named it, has left the stream without a name. The
// build before it has the same stream under another number.
Status name_alike(const std::vector<kernel::LogOlder>& builds, flow::Journal& journal) {
  std::vector<kernel::LogStream> all;
  for (const kernel::LogOlder& build : builds) std::ranges::move(build.sweep(), std::back_inserter(all));
  const auto name_of = [&journal](const kernel::LogStream& stream) {
    const auto known = journal.stream(stream.stream);
    return known && !notes_of(*known) ? known->name : nullptr;
  };
  flow::Batch batch;
  for (const kernel::LogStream& nameless : all) {
    const auto known = journal.stream(nameless.stream);
    if (known && known->name) continue;
    for (const kernel::LogStream& other : all) {
      if (other.target.device != nameless.target.device || other.target.inode != nameless.target.inode ||
          other.target.object != nameless.target.object)
        continue;
      const auto name = name_of(other);
      if (!name) continue;
      batch.add(flow::StreamEntry{nameless.stream, *name});
      break;
    }
  }
  return batch.empty() ? Status{} : journal.append(batch);
}

// Gives the stream its name under its new number, too.
void name(const kernel::Relieved& stream, const flow::Journal& journal, flow::Batch& batch) {
  const auto known = journal.stream(stream.before.stream);
  if (stream.number == 0 || !known || !known->name) return;
  if (notes_of(*known)) return;  // FileSources goes on with it where the journal ends
  batch.add(flow::StreamEntry{stream.number, *known->name});
}

// Ends the stream under its old number. All bytes under that number are in the journal.
void end(const kernel::Relieved& stream, const flow::Journal& journal, flow::Batch& batch) {
  const auto known = journal.stream(stream.before.stream);
  if (known && known->sums.ended) return;
  if (known && notes_of(*known))
    batch.add(flow::EndEntry{stream.before.stream, known->sums.passed, wall_ns(), known->sums.lost});
  else
    batch.add(flow::EndEntry{stream.before.stream, stream.before.passed, wall_ns(), stream.before.lost});
}

Status append(const std::vector<kernel::Relieved>& streams, flow::Journal& journal,
              void (*what)(const kernel::Relieved&, const flow::Journal&, flow::Batch&)) {
  flow::Batch batch;
  for (const kernel::Relieved& stream : streams) what(stream, journal, batch);
  return batch.empty() ? Status{} : journal.append(batch);
}

}  // namespace

Result<std::vector<std::string>> relieve_older(kernel::LogLive& live, flow::Journal& journal,
                                               flow::Namer& namer) {
  std::vector<std::string> said;
  std::vector<std::unique_ptr<OlderDrain>> drains;
  FTAP_TRY(name_alike(live.older(), journal));  // before a drain gives them up for having none
  for (kernel::LogOlder& older : live.older()) {
    FTAP_TRY_ASSIGN(ours, live.streams());
    FTAP_TRY_ASSIGN(drain, OlderDrain::open(older, std::move(ours), journal, namer));
    drains.push_back(std::move(drain));
  }
  // All names of before are known now. The programs still capture, so that our ring stays empty.
  for (const auto& drain : drains) drain->drain_nearly();
  FTAP_TRY_ASSIGN(relieved, live.relieve());
  FTAP_TRY(append(relieved, journal, name));  // at once, in case this process is killed
  std::uint64_t left = 0;
  for (const auto& drain : drains) {
    drain->drain_all();
    left += drain->backlog();
  }
  FTAP_TRY(append(relieved, journal, name));  // what was found out meanwhile
  // Bytes behind an end would be nobody's. If a ring is not empty, the next start writes the ends.
  if (left == 0) {
    for (const auto& drain : drains) drain->settle();
    FTAP_TRY(append(relieved, journal, end));
  }
  for (const kernel::Relieved& stream : relieved)
    if (!stream.why.empty())
      said.push_back("a stream of the previous build could not be continued: " + stream.why);
  drains.clear();
  if (left > 0)
    said.push_back(
        fmt::format("{} bytes of the previous build wait in its ring; the next start drains them", left));
  else
    live.forget_older();
  return said;
}

}  // namespace flowtap
