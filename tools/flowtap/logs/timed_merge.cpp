#include "timed_merge.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/rfc3339.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kPart = 4096;  // of each log in memory, unless a line is longer

}  // namespace

Result<TimedMerge> TimedMerge::create(Form form) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  Fd fd(file ? ::fcntl(::fileno(file.get()), F_DUPFD_CLOEXEC, 0) : -1);
  if (!fd.valid()) return fail_errno(errno, "cannot make a temporary file to sort lines by time");
  return TimedMerge(std::move(fd), form);
}

void TimedMerge::begin_log() {
  logs_.push_back({.next = size_, .end = size_});
}

Status TimedMerge::add(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t n = ::pwrite(file_.get(), piece.data(), piece.size(), static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_errno(errno, "cannot write a temporary file to sort lines by time");
    size_ += static_cast<std::uint64_t>(n);
    piece.remove_prefix(static_cast<std::size_t>(n));
  }
  logs_.back().end = size_;
  return {};
}

Result<bool> TimedMerge::next_line(Log& log) const {
  log.at = std::min(log.at + log.size + 1, log.read.size());
  std::size_t newline = 0;
  while ((newline = log.read.find('\n', log.at)) == std::string::npos && log.next < log.end) {
    log.read.erase(0, log.at);
    log.at = 0;
    const std::size_t had = log.read.size();
    const std::size_t more = std::min<std::uint64_t>(std::max(kPart, had), log.end - log.next);
    log.read.resize(had + more);
    const ssize_t n = ::pread(file_.get(), log.read.data() + had, more, static_cast<off_t>(log.next));
    if (n <= 0) return fail_errno(n == 0 ? EIO : errno, "cannot read the temporary file of lines by time");
    log.read.resize(had + static_cast<std::size_t>(n));
    log.next += static_cast<std::uint64_t>(n);
  }
  if (log.at >= log.read.size()) return false;
  log.size = std::min(newline, log.read.size()) - log.at;
  // A line without a time belongs to the line before.
  if (const std::string_view time = time_of(log.line(), form_); !time.empty()) log.time = time;
  return true;
}

std::string_view TimedMerge::time_of(std::string_view line, Form form) {
  if (form == Form::kText) {
    line = line.substr(0, line.find(' '));
    return parse_rfc3339(line) ? line : std::string_view();
  }
  const std::string_view member = form == Form::kJson ? R"({"time":")" : R"({"timeUnixNano":")";
  if (!line.starts_with(member)) return {};
  line.remove_prefix(member.size());
  return line.substr(0, line.find('"'));  // times of this century all have nineteen digits
}

Status TimedMerge::merge(const std::function<bool(std::size_t, std::string_view)>& take) {
  std::vector<std::size_t> heap;
  const auto later = [this](std::size_t a, std::size_t b) {
    const int order = logs_[a].time.compare(logs_[b].time);
    return order != 0 ? order > 0 : a > b;
  };
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    FTAP_TRY_ASSIGN(more, next_line(logs_[i]));
    if (more) heap.push_back(i);
  }
  std::ranges::make_heap(heap, later);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    Log& first = logs_[heap.back()];
    if (!take(heap.back(), first.line())) return {};
    FTAP_TRY_ASSIGN(more, next_line(first));
    if (more)
      std::ranges::push_heap(heap, later);
    else
      heap.pop_back();
  }
  return {};
}

}  // namespace flowtap::cli
