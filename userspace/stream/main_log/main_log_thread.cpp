#include "stream/main_log/main_log_thread.hpp"

#include <pthread.h>

#include <exception>
#include <optional>
#include <utility>

#include "stream/main_log/written_tail.hpp"

namespace flowtap {
namespace {

// The most replayed bytes that are waited for, so that the rest has room.
constexpr std::size_t kMostReplayed = MainLogThread::kMostWaiting / 2;

}  // namespace

MainLogThread::MainLogThread(MainLog::Options options) : log_(std::move(options)) {}

MainLogThread::~MainLogThread() {
  halt();
  write_waiting(true);
}

void MainLogThread::start() {
  thread_ = std::thread([this] { run(); });
}

void MainLogThread::halt() {
  if (!thread_.joinable()) return;
  bell_->stop();
  thread_.join();
  bell_ = std::make_unique<Bell>();
}

void MainLogThread::begin_behind(std::string earlier) {
  const std::scoped_lock lock(mutex_);
  earlier_ = earlier.size();
  waiting_ = std::move(earlier);
}

void MainLogThread::write(std::string_view text, bool full) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() + text.size() + 1 > kMostWaiting) {
      lost_ += text.size() + (full ? 1 : 0);
      return;
    }
    waiting_.append(text).append(full ? "\n" : "");
    if (replaying_) again_ = waiting_.size() - earlier_;
  }
  bell_->ring();
}

void MainLogThread::replayed() {
  {
    const std::scoped_lock lock(mutex_);
    replaying_ = false;
  }
  bell_->ring();
}

void MainLogThread::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-main-log");
  for (bool more = true; more;) {
    more = bell_->wait(std::nullopt);
    write_waiting(!more);
  }
}

// How many of the first bytes must not be written.
std::size_t MainLogThread::written(std::string_view text, std::size_t earlier, std::size_t again) const {
  const std::string tail = log_.tail(kMostWaiting);
  if (earlier > 0)
    if (const auto upto = written_up_to(tail, text.substr(0, earlier + again))) return *upto;
  return earlier + written_before(tail, text.substr(earlier, again));
}

void MainLogThread::write_waiting(bool last) {
  std::string text;
  std::size_t again = 0;
  std::size_t earlier = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (replaying_ && !last && waiting_.size() < kMostReplayed) return;
    replaying_ = false;
    text.swap(waiting_);
    again = std::exchange(again_, 0);
    earlier = std::exchange(earlier_, 0);
  }
  std::string_view rest = text;
  try {
    if (again > 0 || earlier > 0) rest.remove_prefix(written(text, earlier, again));
  } catch (const std::exception&) {
    rest.remove_prefix(earlier);  // no memory: rather twice than not at all, except for old lines
  }
  while (!rest.empty()) {
    const std::size_t newline = rest.find('\n');
    const bool full = newline != std::string_view::npos;
    const std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(line.size() + (full ? 1 : 0));
    try {
      log_.write(line, full);
    } catch (const std::exception&) {  // no memory
      lost_ += line.size() + (full ? 1 : 0);
    }
  }
}

}  // namespace flowtap
