#include "tools/bench/load/tap_loads.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "tools/bench/load/loads.hpp"

namespace flowtap::bench {
namespace {

constexpr std::uint64_t kBeside = 1'000'000;  // calls per second
constexpr double kLoadNs = 20e6;              // about the time that each load takes
constexpr std::uint64_t kChildren = 5000;
// One page of the pipe, which the pipe keeps, so that no page is allocated. And as much as a shim reads at once.
constexpr std::uint64_t kLinesOfPage = 4096 / kLine;
constexpr std::uint64_t kLinesOfShim = kShimRead / kLine;
constexpr std::uint64_t kLinesOfFile = 4096;  // then the file is written from its begin again

void call(std::uint64_t n) {
  for (; n > 0; --n) ::syscall(SYS_getppid);
}

// It runs in its parent's memory. Otherwise copying would hide the cost that is added to its begin and its end.
[[gnu::noinline]] pid_t start_child() {
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  return child;
}

bool have_children(std::uint64_t n) {
  for (; n > 0; --n) {
    const pid_t child = start_child();
    if (child < 0 || ::waitpid(child, nullptr, 0) != child) return false;
  }
  return true;
}

}  // namespace

Result<TapLoads> TapLoads::start() {
  TapLoads loads;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  loads.out_ = Fd(ends[0]);
  loads.in_ = Fd(ends[1]);
  loads.file_ = Fd(::open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!loads.file_.valid()) return fail_errno(errno, "cannot make a file in /dev/shm");
  FTAP_TRY_ASSIGN(busy, LinePipe::start(kShimRead));
  loads.busy_ = std::move(busy);
  FTAP_TRY_ASSIGN(beside, Worker::start([](const Order& order) {
                    return at_pace(order, [](std::uint64_t n) {
                      call(n);
                      return true;
                    });
                  }));
  loads.beside_ = std::move(beside);
  FTAP_TRY_ASSIGN(parent, Worker::start([](const Order& order) { return have_children(order.times); }));
  loads.parent_ = std::move(parent);
  FTAP_TRY_ASSIGN(first, loads.measure());
  const double slowest = *std::max_element(first.begin(), first.begin() + kChild);
  loads.calls_ = std::max<std::uint64_t>(loads.calls_, static_cast<std::uint64_t>(kLoadNs / slowest));
  return loads;
}

Status TapLoads::pass_pipe(std::uint64_t at_once, std::size_t read_size, double& write_ns, double& read_ns) {
  char line[kLine];
  first_line(line);
  std::vector<char> buffer(read_size);
  double writes = 0;
  double reads = 0;
  const std::uint64_t turns = std::max<std::uint64_t>(1, calls_ / at_once);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const double begin = thread_cpu_ns();
    for (std::uint64_t i = 0; i < at_once; ++i)
      if (::write(in_.get(), line, kLine) != static_cast<ssize_t>(kLine)) return fail_errno(errno, "write");
    const double middle = thread_cpu_ns();
    for (std::uint64_t left = at_once * kLine; left > 0;) {
      const ssize_t n = ::read(out_.get(), buffer.data(), buffer.size());
      if (n <= 0) return fail_errno(errno, "read");
      left -= static_cast<std::uint64_t>(n);
    }
    writes += middle - begin;
    reads += thread_cpu_ns() - middle;
  }
  const std::uint64_t lines = turns * at_once;
  piped_ += lines * kLine;
  write_ns = writes / static_cast<double>(lines);
  read_ns = reads / static_cast<double>(lines);
  return {};
}

Status TapLoads::write_file(double& ns) {
  char line[kLine];
  first_line(line);
  const double begin = thread_cpu_ns();
  for (std::uint64_t i = 0; i < calls_; ++i) {
    if (i % kLinesOfFile == 0 && ::lseek(file_.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "lseek");
    if (::write(file_.get(), line, kLine) != static_cast<ssize_t>(kLine)) return fail_errno(errno, "write");
  }
  ns = (thread_cpu_ns() - begin) / static_cast<double>(calls_);
  filed_ += calls_ * kLine;
  return {};
}

Result<TapCosts> TapLoads::measure() {
  TapCosts costs{};
  auto& [write, shim, small, file, flat_out, beside, busy, child] = costs;
  FTAP_TRY(pass_pipe(kLinesOfPage, kLine, write, small));
  double with_pages = 0;
  FTAP_TRY(pass_pipe(kLinesOfShim, kShimRead, with_pages, shim));
  FTAP_TRY(write_file(file));
  const double begin = thread_cpu_ns();
  call(calls_);
  flat_out = (thread_cpu_ns() - begin) / static_cast<double>(calls_);

  // This takes as long as the lines, or a little longer.
  const Order lines{.times = calls_, .per_second = 0};
  const Order calls{.times = std::max<std::uint64_t>(20'000, calls_), .per_second = kBeside};
  FTAP_TRY(beside_->order(calls));
  FTAP_TRY_ASSIGN(passed, busy_->pass(lines));
  FTAP_TRY_ASSIGN(called, beside_->wait());
  beside = called.cpu_ns / static_cast<double>(calls.times);
  FTAP_TRY(parent_->order({.times = kChildren, .per_second = 0}));
  FTAP_TRY_ASSIGN(lived, parent_->wait());
  child = lived.cpu_ns / static_cast<double>(kChildren);
  busy = (passed.writer_cpu_ns + passed.reader_cpu_ns) / static_cast<double>(lines.times);
  return costs;
}

}  // namespace flowtap::bench
