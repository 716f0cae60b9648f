#include "tools/bench/load/worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "tools/bench/load/loads.hpp"

namespace flowtap::bench {
namespace {

constexpr std::uint64_t kTicksPerSecond = 1000;
constexpr std::int64_t kTickNs = 1'000'000'000 / kTicksPerSecond;

std::int64_t monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void sleep_until(std::int64_t ns) {
  const timespec t{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

// The CPU time of the process and of the children that it has waited for.
double all_cpu_ns() {
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  double us = 0;
  for (const timeval& time : {children.ru_utime, children.ru_stime})
    us += static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  return thread_cpu_ns() + us * 1000;
}

struct Answer {
  bool good = false;
  Span span;
};

}  // namespace

bool at_pace(const Order& order, const std::function<bool(std::uint64_t)>& some) {
  if (order.per_second == 0) return some(order.times);
  const std::int64_t begin = monotonic_ns();
  std::uint64_t done = 0;
  for (std::uint64_t tick = 1; done < order.times; ++tick) {
    // Counts what is due, not ticks: after a late tick there is more to do.
    const std::uint64_t due = std::min(order.times, tick * order.per_second / kTicksPerSecond);
    if (due > done && !some(due - done)) return false;
    done = due;
    sleep_until(begin + static_cast<std::int64_t>(tick) * kTickNs);
  }
  return true;
}

Result<std::unique_ptr<Worker>> Worker::start(const Job& job) {
  return start_child([&job](int orders, int answers) { serve(orders, answers, job); });
}

void Worker::serve(int orders, int answers, const Job& job) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Order order;
  while (::read(orders, &order, sizeof(order)) == static_cast<ssize_t>(sizeof(order))) {
    Answer answer;
    answer.span.begin_ns = static_cast<double>(monotonic_ns());
    const double before = all_cpu_ns();
    answer.good = job(order);
    answer.span.cpu_ns = all_cpu_ns() - before;
    answer.span.end_ns = static_cast<double>(monotonic_ns());
    if (::write(answers, &answer, sizeof(answer)) != static_cast<ssize_t>(sizeof(answer))) break;
  }
  ::_exit(0);
}

Result<std::unique_ptr<Worker>> Worker::start_child(
    const std::function<void(int orders, int answers)>& child) {
  std::array<int, 2> orders{};
  std::array<int, 2> answers{};
  if (::pipe2(orders.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  std::unique_ptr<Worker> worker(new Worker);
  const Fd its_orders(orders[0]);
  worker->orders_ = Fd(orders[1]);
  if (::pipe2(answers.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  worker->answers_ = Fd(answers[0]);
  const Fd its_answers(answers[1]);
  worker->pid_ = ::fork();
  if (worker->pid_ < 0) return fail_errno(errno, "cannot fork");
  if (worker->pid_ == 0) {
    // Closed only here: other forks must not keep these descriptors open.
    for (const int fd : {its_orders.get(), its_answers.get()}) ::fcntl(fd, F_SETFD, 0);
    child(its_orders.get(), its_answers.get());
    ::_exit(127);
  }
  return worker;
}

Worker::~Worker() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Status Worker::order(const Order& order) const {
  if (::write(orders_.get(), &order, sizeof(order)) != static_cast<ssize_t>(sizeof(order)))
    return fail_errno(errno, "a process of the benchmark takes no orders");
  return {};
}

Result<Span> Worker::wait() const {
  Answer answer;
  const ssize_t n = ::read(answers_.get(), &answer, sizeof(answer));
  if (n != static_cast<ssize_t>(sizeof(answer)) || !answer.good)
    return fail("a process of the benchmark could not do its job");
  return answer.span;
}

}  // namespace flowtap::bench
