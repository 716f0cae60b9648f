#include "tools/bench/measure/log_path.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <numeric>

#include "kernel/log/log_misses.hpp"
#include "tests/support/log_target.hpp"

namespace flowtap::bench {
namespace {

// The same as in stream/stream_path.cpp, but lower than the writers and readers, since tools/bench/run has raised all
// of us.
constexpr int kNice = -10;
constexpr auto kPatience = std::chrono::seconds(20);

}  // namespace

Result<std::unique_ptr<LogPath>> LogPath::start(kernel::LogBackend backend, std::uint32_t ring_bytes) {
  std::unique_ptr<LogPath> path(new LogPath);
  path->dir_ = "/dev/shm/flowtap-bench-XXXXXX";
  if (::mkdtemp(path->dir_.data()) == nullptr) return fail_errno(errno, "cannot make " + path->dir_);
  FTAP_TRY_ASSIGN(journal, flow::Journal::open({.dir = path->dir_ + "/journal"}));
  path->journal_ = std::move(journal);
  kernel::LogOptions options;
  options.ring_bytes = ring_bytes;
  options.bpffs.clear();
  options.backend = backend;
  FTAP_TRY_ASSIGN(live, kernel::start_log_tap(options));
  path->live_.emplace(std::move(live));
  FTAP_TRY_ASSIGN(ring, path->live_->ring());
  path->ring_ = std::move(ring);
  FTAP_TRY_ASSIGN(streams, path->live_->streams());
  path->slots_ = std::make_unique<StreamSlots>(std::move(streams));
  path->consumer_ =
      std::make_unique<flow::LogConsumer>(*path->ring_, *path->journal_, *path->slots_, path->namer_);
  path->thread_ = std::thread([self = path.get()] { self->drain(); });
  return path;
}

LogPath::~LogPath() {
  stop_ = true;
  if (thread_.joinable()) {
    ring_->interrupt();
    thread_.join();
  }
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void LogPath::drain() noexcept {
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNice);
  while (!stop_) {
    const std::uint64_t waiting = ring_->backlog();
    if (waiting > most_waiting_) most_waiting_ = waiting;
    consumer_->round();
    const auto pause = each_.load() + once_.exchange({});
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

Result<flow::StreamNo> LogPath::tap(int fd, ftap_log_kind kind) {
  FTAP_TRY_ASSIGN(target, test::log_target(fd, kind));
  return slots_->kernel().open(target);
}

std::optional<std::uint64_t> LogPath::missed_events() const {
  const auto misses = kernel::count_misses(live_->program_stats(false));
  if (!misses) return std::nullopt;
  return misses->unseen + slots_->kernel().unsure();
}

Result<Ledger> LogPath::settle(flow::StreamNo stream, std::uint64_t written) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  Ledger ledger;
  std::uint64_t passed = 0;
  std::uint64_t unwritten = 0;
  while (true) {
    for (const flow::StreamSlot& slot : slots_->sweep()) {
      if (slot.stream != stream) continue;
      passed = slot.passed;
      ledger.lost = std::accumulate(slot.lost.begin(), slot.lost.end(), std::uint64_t{0});
    }
    if (const auto view = journal_->stream(stream)) {
      ledger.captured = view->sums.captured;
      unwritten = view->sums.unwritten;
    }
    if (passed == written && ledger.captured + ledger.lost == written && unwritten == 0) return ledger;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto missed = missed_events();
  return fail(
      fmt::format("of {} bytes {} were seen, {} captured ({} not in the journal) and {} counted as lost; the "
                  "programs missed {} events",
                  written, passed, ledger.captured, unwritten, ledger.lost,
                  missed ? std::to_string(*missed) : "an unknown number of"));
}

double LogPath::consumer_cpu_ns() {
  clockid_t clock{};
  timespec t{};
  if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0) return 0;
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace flowtap::bench
