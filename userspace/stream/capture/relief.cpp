#include "stream/capture/relief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "base/wall_clock.hpp"
#include "stream/capture/ring_drain.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/files/followed_file.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {
namespace {

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

  /// While its programs may fill it.
  void drain_nearly() { drain_.nearly(); }
  /// Its programs are at rest. `ours` is the ring that fills meanwhile.
  void drain_all(const kernel::RingReader& ours) {
    consumer_.rest([&ours] { return ours.fill(); });
    drain_.all();
  }

  /// Its programs are at rest, and the ring is empty.
  void settle() { consumer_.settle(); }

  [[nodiscard]] std::uint64_t backlog() const { return ring_->backlog(); }

 private:
  OlderDrain(kernel::LogOlder& older, kernel::LogStreams ours, std::unique_ptr<kernel::RingReader> ring,
             flow::Journal& journal, flow::Namer& namer)
      : slots_(older, std::move(ours)),
        ring_(std::move(ring)),
        consumer_(*ring_, journal, slots_, namer, {}, &files_),
        drain_(consumer_, *ring_, journal) {
    // Followed files are left out: the journal counts their bytes otherwise than the older build, and the files have all of them.
    for (const flow::StreamView& stream : journal.streams())
      if (notes_of(stream)) files_.leave_out(stream.number);
  }

  flow::FileStreams files_;
  OlderSlots slots_;
  std::unique_ptr<kernel::RingReader> ring_;
  flow::LogConsumer consumer_;
  RingDrain drain_;
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
  // The programs still capture, so that our ring stays empty. What they capture amid relieve() has to fit into what is free in theirs.
  for (const auto& drain : drains) drain->drain_nearly();
  FTAP_TRY_ASSIGN(relieved, live.relieve());
  FTAP_TRY(append(relieved, journal, name));  // at once, in case this process is killed
  FTAP_TRY_ASSIGN(ours, live.ring());         // nobody drains it yet
  std::uint64_t left = 0;
  for (const auto& drain : drains) {
    drain->drain_all(*ours);
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
