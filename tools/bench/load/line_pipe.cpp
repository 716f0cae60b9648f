#include "tools/bench/load/line_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace flowtap::bench {
namespace {

constexpr std::size_t kDigits = 10;

Worker::Job writes(int pipe) {
  return [pipe](const Order& order) {
    char line[kLine];
    first_line(line);
    return at_pace(order, [&](std::uint64_t n) {
      for (; n > 0; --n, next_line(line))
        if (::write(pipe, line, kLine) != static_cast<ssize_t>(kLine)) return false;
      return true;
    });
  };
}

Worker::Job reads(int pipe, std::size_t size) {
  return [pipe, buffer = std::vector<char>(size)](const Order& order) mutable {
    for (std::uint64_t left = order.times * kLine; left > 0;) {
      const ssize_t n = ::read(pipe, buffer.data(), std::min<std::uint64_t>(buffer.size(), left));
      if (n <= 0) return false;
      left -= static_cast<std::uint64_t>(n);
    }
    return true;
  };
}

}  // namespace

void first_line(char (&line)[kLine]) {
  std::memset(line, 'x', kLine);
  std::memcpy(line, "line ", 5);
  std::memset(line + 5, '0', kDigits);
  line[5 + kDigits] = ' ';
  line[kLine - 1] = '\n';
}

void next_line(char (&line)[kLine]) {
  for (char* digit = line + 5 + kDigits - 1; ++*digit > '9' && digit > line + 5; --digit) *digit = '0';
}

Result<std::unique_ptr<LinePipe>> LinePipe::start(std::size_t read_size) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  std::unique_ptr<LinePipe> lines(new LinePipe);
  lines->out_ = Fd(ends[0]);
  const Fd in(ends[1]);
  FTAP_TRY_ASSIGN(writer, Worker::start(writes(in.get())));
  FTAP_TRY_ASSIGN(reader, Worker::start(reads(lines->out_.get(), read_size)));
  lines->writer_ = std::move(writer);
  lines->reader_ = std::move(reader);
  return lines;
}

Result<LineCost> LinePipe::pass(const Order& order) {
  FTAP_TRY(reader_->order(order));
  FTAP_TRY(writer_->order(order));
  FTAP_TRY_ASSIGN(written, writer_->wait());
  FTAP_TRY_ASSIGN(read, reader_->wait());
  passed_ += order.times * kLine;
  return LineCost{.wall_ns = read.end_ns - written.begin_ns,
                  .writer_wall_ns = written.end_ns - written.begin_ns,
                  .writer_cpu_ns = written.cpu_ns,
                  .reader_cpu_ns = read.cpu_ns};
}

}  // namespace flowtap::bench
