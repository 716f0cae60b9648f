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
  {
    const std::scoped_lock lock(mutex_);
    text.swap(waiting_);
  }
  for (std::string_view rest = text; !rest.empty();) {
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
