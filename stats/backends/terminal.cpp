#include "stats/backends/terminal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

#include "stats/backends/json_text.hpp"
#include "stats/backends/report.hpp"
#include "stats/rates.hpp"

namespace flowtap::stats {
namespace {

constexpr int kPatienceMs = 500;
/// A write of this size never blocks on a pipe or terminal that poll() calls writable.
constexpr std::size_t kChunk = 4096;

/// The first lines of `text` that fit the terminal: one more line would scroll the screen and spoil drawing in place.
std::string_view fitting(std::string_view text, int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row < 2) return text;
  std::size_t end = 0;
  for (unsigned row = 1; row < size.ws_row; ++row) {
    const auto newline = text.find('\n', end);
    if (newline == std::string_view::npos) return text;
    end = newline + 1;
  }
  return text.substr(0, end);
}

}  // namespace

Terminal::Terminal(std::FILE* file) : fd_(::fileno(file)), in_place_(::isatty(fd_) == 1) {}

Status Terminal::publish(const SnapshotPtr& snapshot) {
  FTAP_TRY(write_rest());
  if (shown_ && shown_->cycle == snapshot->cycle) return {};
  std::chrono::duration<double> took = snapshot->time - snapshot->start;
  std::vector<SchedulerTotals> before;
  if (shown_) {
    took = snapshot->steady - shown_->steady;
    before = scheduler_totals(*shown_);
  }
  const auto rates = scheduler_rates(before, scheduler_totals(*snapshot), took.count());
  const auto title = fmt::format("flowtap  {}  last {:.1f} s", rfc3339(snapshot->time), took.count());
  rest_ = screen(report_table(rates, title));
  shown_ = snapshot;
  return write_rest();
}

std::string Terminal::screen(const std::string& table) {
  if (!in_place_) return table + "\n";
  std::string out = cleared_ ? "\x1b[H" : "\x1b[2J\x1b[H";
  cleared_ = true;
  for (const char c : fitting(table, fd_)) {
    if (c == '\n') out += "\x1b[K";  // erases what a longer line left behind
    out += c;
  }
  return out + "\x1b[J";
}

Status Terminal::write_rest() {
  while (!rest_.empty()) {
    pollfd ready{fd_, POLLOUT, 0};
    const int polled = ::poll(&ready, 1, kPatienceMs);
    const ssize_t n = polled > 0 ? ::write(fd_, rest_.data(), std::min(rest_.size(), kChunk)) : -1;
    const int error = polled == 0 ? EAGAIN : errno;
    if (n < 0 && error == EINTR) continue;
    if (n < 0) {
      health_.up = false;
      health_.last_error = errno_text(error);
      return fail_errno(error, "cannot write the report");
    }
    rest_.erase(0, static_cast<std::size_t>(n));
  }
  health_.up = true;
  return {};
}

}  // namespace flowtap::stats
