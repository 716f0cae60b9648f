#include "explain/explain_path.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "explain/diagnosis/diagnosis.hpp"
#include "identity/flow_id.hpp"

namespace flowtap {
namespace {

using stats::StatId;

// Explaining runs behind everything that captures and serves.
constexpr int kNice = 5;
constexpr std::chrono::milliseconds kRest{100};
constexpr std::size_t kPart = std::size_t{64} << 10U;
// How many logs are known at most. Of flows that have ended, it is remembered how far they were read.
constexpr std::size_t kMostLogs = 4096;

// A short name that is the same after each restart of the scheduler.
std::string scheduler_of(const std::string& flow) {
  constexpr std::size_t kContainer = 4;
  const auto parts = identity::flow_id_components(flow);
  if (!parts || parts->size() < 2) return flow;
  return parts->front() == "pod" && parts->size() > kContainer ? parts->at(kContainer) : parts->back();
}

// Puts powers of two into those that are the histogram's edges.
stats::HistogramValue durations(const diagnosis::LogCounts& counts) {
  const unsigned widened = stats::stat(StatId::kSCHEDULING_DURATION).widened;
  stats::HistogramValue out;
  for (std::size_t i = 0; i < counts.took.size(); ++i)
    out.counts.at(stats::histogram_bucket(std::uint64_t{1} << i, widened)) += counts.took.at(i);
  out.sum = std::chrono::duration<double>(counts.took_in_all).count();
  return out;
}

}  // namespace

Result<std::unique_ptr<ExplainPath>> ExplainPath::start(const SchedulerFlows& from, std::size_t max_pods) {
  std::unique_ptr<ExplainPath> path(new ExplainPath(from, max_pods));
  FTAP_TRY_ASSIGN(changes, from.store.follow_changes());
  path->changes_ = std::move(changes);
  path->thread_ = std::thread([self = path.get()] { self->run(); });
  return path;
}

ExplainPath::~ExplainPath() {
  bell_.stop();
  if (thread_.joinable()) thread_.join();
  // From here on nobody rings the bell.
  if (changes_) from_.waker.forget(*changes_);
  logs_.clear();
}

void ExplainPath::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-explain");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  std::optional<Bell::Clock::time_point> again;
  do {
    again.reset();
    try {
      round();
    } catch (const std::exception&) {  // no memory, at any point of the round
      changed_ = true;
      for (auto& [id, log] : logs_) log.ready = true;
      again = Bell::Clock::now() + kRest;
    }
  } while (bell_.wait(again));
}

void ExplainPath::round() {
  if (changed_.exchange(false)) look_for_logs();
  for (auto& [id, log] : logs_)
    if (log.reader && log.ready.exchange(false)) read(log);
  note_counts();
}

void ExplainPath::look_for_logs() {
  changes_->taken();
  const auto changes = from_.store.changes_since(seen_);
  for (const std::string& id : changes.flows) {
    if (!from_.flows.is_scheduler(id)) continue;
    const auto summary = from_.store.summary(id);
    if (!summary) continue;
    const auto known = logs_.find(id);
    if (known == logs_.end() && logs_.size() >= kMostLogs)
      std::erase_if(logs_, [](const auto& one) { return !one.second.reader; });
    Log& log = known != logs_.end() ? known->second : logs_[id];
    if (!log.reader && (log.read_to == 0 || summary->open() || summary->last > log.read_to)) open(id, log);
  }
  seen_ = changes.upto;
  from_.waker.once(changes_, [this] {
    changed_ = true;
    bell_.ring();
  });
}

void ExplainPath::open(const std::string& id, Log& log) {
  auto form = std::make_unique<RecordForm>(store_);
  log.form = form.get();
  api::LogReadOptions options{.follow = true};
  if (log.read_to != 0)
    options.since =
        std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::nanoseconds(log.read_to + 1)));
  // An answer is for a person, so a scheduler's log is no reason for capture to take smaller steps.
  auto reader = from_.flows.open_log(id, options, std::move(form), flow::Followers::Hurry::kNo);
  log.scheduler = scheduler_of(id);
  log.prepared = false;
  log.ready = true;
  if (reader)
    log.reader = std::move(*reader);
  else
    log.form = nullptr;  // the flow has just gone
}

// Reads only a piece, so that each log gets its turn.
void ExplainPath::read(Log& log) {
  const auto again = [this, &log] {
    log.ready = true;
    bell_.ring();
  };
  if (!log.prepared) {
    const auto prepared = log.reader->prepare();
    if (!prepared) return close(log);
    log.prepared = *prepared;
    return again();
  }
  const auto piece = log.reader->read(kPart);
  log.read_to = std::max(log.read_to, log.form->time());
  if (!piece || piece->end) return close(log);
  if (piece->again) return again();
  log.reader->when_more(again);
}

void ExplainPath::close(Log& log) {
  ended_[log.scheduler] += log.form->counts();
  log.form = nullptr;
  log.reader.reset();
}

void ExplainPath::note_counts() {
  auto counts = ended_;
  std::size_t reading = 0;
  for (const auto& [id, log] : logs_) {
    if (!log.reader) continue;
    ++reading;
    counts[log.scheduler] += log.form->counts();
  }
  const std::scoped_lock lock(counts_mutex_);
  counts_ = std::move(counts);
  reading_ = reading;
}

std::optional<std::string> ExplainPath::schedulerlog(const std::string& ns, const std::string& pod,
                                                     bool evidence) {
  const auto found = store_.find(ns, pod);
  if (!found) return std::nullopt;
  return diagnosis::to_json(*found, evidence, true);
}

std::vector<api::DiagnosedPod> ExplainPath::pods(const std::string& ns) const {
  std::vector<api::DiagnosedPod> all;
  for (const std::string& pod : store_.pods()) {
    const std::size_t slash = std::min(pod.find('/'), pod.size());
    if (!ns.empty() && pod.compare(0, slash, ns) != 0) continue;
    all.push_back({pod.substr(0, slash), pod.substr(std::min(slash + 1, pod.size()))});
  }
  return all;
}

std::optional<api::DiagnosisEntry> ExplainPath::entry(const api::DiagnosedPod& pod, bool answer) const {
  const auto found = store_.peek(pod.ns + '/' + pod.name);
  if (!found) return std::nullopt;
  return api::DiagnosisEntry{diagnosis::to_string(found->status),
                             answer ? diagnosis::to_json(*found, false, true) : std::string()};
}

std::size_t ExplainPath::logs() const {
  const std::scoped_lock lock(counts_mutex_);
  return reading_;
}

void ExplainPath::append_samples(std::vector<stats::Series>& out) const {
  out.push_back({&stats::stat(StatId::kDIAGNOSIS_PODS), {}, static_cast<double>(store_.size())});
  out.push_back({&stats::stat(StatId::kDIAGNOSIS_BYTES), {}, static_cast<double>(store_.bytes())});
  out.push_back({&stats::stat(StatId::kDIAGNOSIS_EVICTED), {}, store_.evicted()});
  const std::scoped_lock lock(counts_mutex_);
  for (const auto& entry : counts_) {
    const diagnosis::LogCounts& counts = entry.second;
    const std::array<std::pair<const char*, std::uint64_t>, 4> results{{{"telling", counts.telling},
                                                                        {"others", counts.others},
                                                                        {"malformed", counts.malformed},
                                                                        {"cut", counts.cut}}};
    for (const auto& [result, count] : results)
      out.push_back({&stats::stat(StatId::kSCHEDULER_RECORDS), {entry.first, result}, count});
    for (std::size_t i = 1; i < diagnosis::kOutcomes; ++i)
      out.push_back({&stats::stat(StatId::kSCHEDULING_OUTCOMES),
                     {entry.first, std::string(to_string(static_cast<diagnosis::Outcome>(i)))},
                     counts.outcomes.at(i)});
    out.push_back({&stats::stat(StatId::kSCHEDULING_DURATION), {entry.first}, durations(counts)});
    for (const auto& [reason, count] : counts.failures)
      out.push_back({&stats::stat(StatId::kSCHEDULING_FAILURES), {entry.first, std::string(reason)}, count});
  }
}

}  // namespace flowtap
