#include "stream/capture/drain.hpp"

#include <pthread.h>
#include <sys/resource.h>

namespace flowtap {
namespace {

// It goes ahead of ordinary work: the longest wait for a CPU decides how much the ring has to hold.
constexpr int kNice = -10;

flow::ConsumerOptions options_with(std::function<bool()> followed, std::function<bool()> ring_stays) {
  flow::ConsumerOptions options;
  options.ring_stays = std::move(ring_stays);
  options.followed = std::move(followed);
  return options;
}

}  // namespace

Drain::Drain(flow::RecordSource& source, flow::Journal& journal, flow::StreamControl& streams,
             flow::Namer& namer, std::function<bool()> followed, std::function<bool()> ring_stays)
    : source_(source),
      consumer_(source, journal, streams, namer, options_with(std::move(followed), std::move(ring_stays)),
                &files_) {}

void Drain::start() {
  thread_ = std::thread([this] { run(); });
}

void Drain::stop() {
  stop_ = true;
  if (!thread_.joinable()) return;
  source_.interrupt();
  thread_.join();
}

void Drain::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-drain");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  consumer_.run(stop_, failed_rounds_);
}

void Drain::look_around(ReadErrors& errors) {
  const std::uint64_t drain_errors = consumer_.counts().drain_errors;
  errors[kRing] += failed_rounds_.exchange(0) + drain_errors - drain_errors_;
  drain_errors_ = drain_errors;
}

void Drain::report(api::StreamStatusReport& report) const {
  const flow::ConsumerCounts counts = consumer_.counts();
  report.lost_bytes = {.ring_full = counts.lost[FTAP_LOSS_RING_FULL],
                       .fault = counts.lost[FTAP_LOSS_FAULT],
                       .uncaptured = counts.lost[FTAP_LOSS_UNCAPTURED],
                       .quiet = counts.lost[FTAP_LOSS_QUIET],
                       .unread = counts.lost[FTAP_LOSS_UNREAD]};
  report.unkept_names = {.too_long = counts.unkept_names.too_long,
                         .no_map = counts.unkept_names.no_map,
                         .no_room = counts.unkept_names.no_room};
  report.open_streams = counts.open_streams;
  report.sources.filled_bytes = files_.counts().filled;
}

void Drain::append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const {
  using stats::StatId;
  const auto one = [&out](StatId id, stats::Labels labels, stats::Value value) {
    out.push_back({&stats::stat(id), std::move(labels), value});
  };
  const flow::ConsumerCounts counts = consumer_.counts();
  one(StatId::kLOG_CAPTURED, {}, counts.bytes);
  one(StatId::kLOG_LOST, {"ring_full"}, status.lost_bytes.ring_full);
  one(StatId::kLOG_LOST, {"fault"}, status.lost_bytes.fault);
  one(StatId::kLOG_LOST, {"uncaptured"}, status.lost_bytes.uncaptured);
  one(StatId::kLOG_LOST, {"quiet"}, status.lost_bytes.quiet);
  one(StatId::kLOG_LOST, {"unread"}, status.lost_bytes.unread);
  one(StatId::kLOG_UNKEPT_NAMES, {"too_long"}, counts.unkept_names.too_long);
  one(StatId::kLOG_UNKEPT_NAMES, {"no_map"}, counts.unkept_names.no_map);
  one(StatId::kLOG_UNKEPT_NAMES, {"no_room"}, counts.unkept_names.no_room);
  one(StatId::kLOG_RECORDS, {}, counts.records);
  one(StatId::kLOG_BROKEN, {}, counts.broken_records);
  one(StatId::kLOG_STREAMS, {}, static_cast<double>(counts.open_streams));
}

}  // namespace flowtap
