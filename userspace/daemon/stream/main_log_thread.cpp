#include "daemon/stream/main_log_thread.hpp"

#include <pthread.h>

#include <exception>
#include <optional>
#include <utility>

namespace flowtap {

MainLogThread::MainLogThread(MainLog::Options options) : log_(std::move(options)) {
  thread_ = std::thread([this] { run(); });
}

MainLogThread::~MainLogThread() {
  bell_.stop();
  thread_.join();
}

void MainLogThread::write(std::string_view text, bool full) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() + text.size() + 1 > kMostWaiting) {
      lost_ += text.size() + (full ? 1 : 0);
      return;
    }
    waiting_.append(text).append(full ? "\n" : "");
    if (replaying_) again_ = waiting_.size();
  }
  bell_.ring();
}

void MainLogThread::replayed() {
  {
    const std::scoped_lock lock(mutex_);
    replaying_ = false;
  }
  bell_.ring();
}

void MainLogThread::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-main-log");
  for (bool more = true; more;) {
    more = bell_.wait(std::nullopt);
    write_waiting();
  }
}

void MainLogThread::write_waiting() {
  std::string text;
  std::size_t again = 0;
  bool replaying = false;
  {
    const std::scoped_lock lock(mutex_);
    text.swap(waiting_);
    again = std::exchange(again_, 0);
    replaying = replaying_;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t newline = rest.find('\n');
    const bool full = newline != std::string_view::npos;
    const std::string_view line = rest.substr(0, full ? newline + 1 : newline);
    const bool may_be_written = text.size() - rest.size() < again;
    rest.remove_prefix(line.size());
    try {
      write_line(line, may_be_written);
    } catch (const std::exception&) {  // no memory
      lost_ += line.size();
    }
  }
  if (!replaying) tail_.reset();
}

// With its newline, if it has come.
void MainLogThread::write_line(std::string_view line, bool may_be_written) {
  if (may_be_written) {
    if (!tail_) tail_.emplace(log_.tail(kMostWaiting));
    const std::size_t known = tail_->known(line);
    if (known == line.size()) return;
    line.remove_prefix(known);
  }
  const bool full = line.ends_with('\n');
  if (full) line.remove_suffix(1);
  log_.write(line, full);
}

}  // namespace flowtap
