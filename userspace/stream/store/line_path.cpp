#include "stream/store/line_path.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using stats::StatId;
using Clock = flow::Pipeline::Clock;

// It runs behind the ring's consumer and ahead of ordinary work, since followers wait for it.
constexpr int kNice = -5;
// One part in this many of the file system is left for the index and for files that are written anew.
constexpr std::uint64_t kReserve = 32;

flow::StoreOptions options_of(const std::string& dir, const LineOptions& options) {
  const LineOptions::Flows& flows = options.flows;
  return {.dir = dir,
          .flow_bytes = flows.flow_bytes,
          .store_bytes = options.flows_bytes - options.journal_bytes - options.flows_bytes / kReserve,
          .flows = flows.max_flows,
          .buffers = flows.max_buffers,
          .buffer_bytes = flows.buffer_bytes,
          .buffers_bytes = flows.buffers_bytes,
          .idle = flows.flush_idle,
          .age = std::chrono::duration_cast<std::chrono::seconds>(flows.max_age)};
}

// The end of the main log, as its flow has it.
std::string main_log_end(const flow::FlowStore& store) {
  constexpr flow::LogPosition kMost = std::size_t{1} << 20U;
  std::string text;
  const auto flow = store.find(flow::kMainLogFlow);
  const auto bounds = flow ? store.bounds(*flow) : std::nullopt;
  if (!bounds) return text;
  const flow::LogPosition from = bounds->end - std::min(bounds->end - bounds->begin, kMost);
  std::string log;
  while (from + log.size() < bounds->end) {
    const auto part = store.read(*flow, from + log.size(), bounds->end - from - log.size());
    if (!part || part->text.empty() || part->from != from + log.size()) return text;
    log += part->text;
  }
  std::string_view rest = log;
  if (from > bounds->begin) rest.remove_prefix(rest.find('\n') + 1);
  while (!rest.empty()) {
    const std::size_t newline = rest.find('\n');
    if (const auto line = flow::parse_cri_line(rest.substr(0, newline))) {
      // If a gap follows a line that is cut, the line is ended first.
      if (line->missing && !text.empty() && !text.ends_with('\n')) text += '\n';
      text.append(line->text).append(line->full ? "\n" : "");
    }
    rest.remove_prefix(std::min(newline, rest.size() - 1) + 1);
  }
  return text;
}

// The bounds as they are enforced, beside the values that they bound.
void append_limits(std::vector<stats::Series>& out, const flow::StoreOptions& limits, std::uint64_t journal) {
  const auto one = [&out](StatId id, auto value) {
    const stats::Stat& stat = stats::stat(id);
    out.push_back({&stat, {std::string(stat.label.value_or(""))}, static_cast<double>(value)});
  };
  const auto time = [&one](StatId id, std::chrono::duration<double> value) { one(id, value.count()); };
  one(StatId::kLIMIT_FLOW_BYTES, limits.flow_bytes);
  one(StatId::kLIMIT_STORE_BYTES, limits.store_bytes);
  one(StatId::kLIMIT_JOURNAL_BYTES, journal);
  one(StatId::kLIMIT_BUFFER_BYTES, limits.buffer_bytes);
  one(StatId::kLIMIT_BUFFERS_BYTES, limits.buffers_bytes);
  one(StatId::kLIMIT_FLOWS, limits.flows);
  one(StatId::kLIMIT_BUFFERS, limits.buffers);
  time(StatId::kLIMIT_AGE, limits.age);
  time(StatId::kLIMIT_IDLE, limits.idle);
}

}  // namespace

std::unique_ptr<LinePath> LinePath::open(const std::string& dir, const LineOptions& options,
                                         flow::Journal& journal, flow::WrittenBy written_by) {
  std::unique_ptr<LinePath> path(new LinePath(journal, std::move(written_by)));
  path->store_ = flow::FlowStore::open(options_of(dir, options));
  path->options_ = options;
  // The configuration's rule was checked when it was read.
  if (auto match = flow::SchedulerMatch::parse(options.schedulers.logs))
    path->schedulers_ = std::move(*match);
  const LineOptions::Schedulers& schedulers = options.schedulers;
  if (schedulers.main_log != "off")
    path->main_log_ = std::make_unique<MainLogThread>(
        MainLog::Options{schedulers.main_log, schedulers.main_log_bytes, schedulers.main_log_files});
  if (path->main_log_) path->main_log_->begin_behind(main_log_end(*path->store_));
  path->round();
  return path;
}

LinePath::~LinePath() {
  stop();
}

void LinePath::halt() {
  end_thread();
  if (main_log_) main_log_->halt();
}

void LinePath::end_thread() {
  stop_.tell();
  if (thread_.joinable()) thread_.join();
}

void LinePath::stop() {
  end_thread();
  // The latest bytes are safe in the journal, but people read the files.
  if (store_) store_->flush(Clock::now(), wall_ns(), true);  // open() may have failed
}

Status LinePath::start() {
  if (main_log_) main_log_->start();
  // Files need no hurry; a reader that follows a flow has it.
  FTAP_TRY_ASSIGN(follower, journal_.follow({}, flow::Followers::Hurry::kNo));
  follower_ = std::move(follower);
  FTAP_TRY_ASSIGN(stop, EventFd::create());
  stop_ = std::move(stop);
  thread_ = std::thread([this] { run(); });
  return {};
}

void LinePath::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-lines");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  while (true) {
    const auto next = std::min(pipeline_->next(), store_->next_flush());
    int timeout = -1;
    if (next != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
      timeout = static_cast<int>(std::clamp(left, 0ms, std::chrono::milliseconds(60s)).count());
    }
    if (begin_anew_) timeout = 0;
    std::array<pollfd, 2> fds{{{follower_->fd(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), timeout);
    follower_->taken();
    try {
      round();
    } catch (const std::exception&) {  // no memory, amid anything
      ++failures_;
      std::this_thread::sleep_for(10ms);
      begin_anew_ = true;
    }
    if (fds[1].revents != 0) return;
  }
}

void LinePath::round() {
  // Begins as after a start: lines of the journal that the store has already are left out.
  if (begin_anew_) {
    pipeline_ = std::make_unique<flow::Pipeline>(journal_, *store_, options_.journal_bytes,
                                                 scheduler_options(), written_by_, known_losses());
    pipeline_->replay(wall_ns());
    if (main_log_) main_log_->replayed();
    begin_anew_ = false;
  }
  while (pipeline_->take(Clock::now(), wall_ns())) continue;
  const auto now = Clock::now();
  if (store_->next_flush() <= now || store_->has_too_much()) store_->flush(now, wall_ns());
  const std::scoped_lock lock(stats_mutex_);
  stats_ = pipeline_->stats();
}

// They come to be known after the first round.
flow::KnownLosses LinePath::known_losses() const {
  return [this](flow::StreamNo stream) { return losses_ ? losses_(stream) : flow::Losses{}; };
}

flow::SchedulerOptions LinePath::scheduler_options() const {
  flow::SchedulerOptions options;
  options.is_scheduler = [this](const std::string& flow) { return is_scheduler(flow); };
  options.keys = flow::FlowKeys(options_.schedulers.keys);
  options.main_verbosity = static_cast<flow::Level>(options_.schedulers.main_log_verbosity);
  if (main_log_)
    options.main_log = [this](std::string_view text, bool full) { main_log_->write(text, full); };
  return options;
}

void LinePath::append_samples(std::vector<stats::Series>& out) const {
  const flow::StoreStats store = store_->stats();
  flow::PipelineStats lines;
  {
    const std::scoped_lock lock(stats_mutex_);
    lines = stats_;
  }
  const auto one = [&out](StatId id, stats::Value value) { out.push_back({&stats::stat(id), {}, value}); };
  one(StatId::kFLOW_LINES, store.lines);
  one(StatId::kFLOW_MISSING, lines.missing);
  one(StatId::kFLOW_MISSED_LINES, store.missed_lines);
  one(StatId::kFLOW_UNNAMED, lines.unnamed);
  one(StatId::kSCHEDULER_UNKNOWN_V, lines.unknown_verbosity);
  one(StatId::kMAIN_LOG_LOST, main_log_ ? main_log_->lost_bytes() : 0);
  one(StatId::kFLOW_FILE_BYTES, static_cast<double>(store.file_bytes));
  one(StatId::kFLOW_BUFFERED, static_cast<double>(store.buffered_bytes));
  one(StatId::kFLOW_BUFFERS, static_cast<double>(store.buffers));
  append_limits(out, store_->options(), options_.journal_bytes);
  for (std::size_t i = 0; i < flow::kEvictions; ++i) {
    const std::string reason(flow::to_string(static_cast<flow::Eviction>(i)));
    out.push_back({&stats::stat(StatId::kFLOW_EVICTED), {reason}, store.evicted_bytes.at(i)});
    out.push_back({&stats::stat(StatId::kFLOWS_EVICTED), {reason}, store.evicted_flows.at(i)});
  }
  out.push_back({&stats::stat(StatId::kFLOW_ERRORS), {"lines"}, store.write_errors});
  out.push_back({&stats::stat(StatId::kFLOW_ERRORS), {"index"}, store.index_errors});
}

}  // namespace flowtap
