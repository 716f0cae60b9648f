#include "tools/bench/load/loads.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <functional>
#include <latch>
#include <thread>

#include "base/fd.hpp"

namespace flowtap::bench {
namespace {

struct Pipe {
  Fd out;
  Fd in;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Both begin at the same time; creating and ending the threads is not part of the cost.
Result<Cost> two_threads(const std::array<int, 2>& cpus, const std::function<bool(int)>& play) {
  std::latch ready(2);
  std::array<double, 2> cpu_ns{};
  std::array<std::chrono::steady_clock::time_point, 2> begin{};
  std::array<std::chrono::steady_clock::time_point, 2> end{};
  std::atomic<bool> good = true;
  {
    const auto run = [&](std::size_t me) {
      if (!pin_to(cpus.at(me))) good = false;
      ready.arrive_and_wait();
      begin.at(me) = std::chrono::steady_clock::now();
      const double before = thread_cpu_ns();
      if (!play(static_cast<int>(me))) good = false;
      cpu_ns.at(me) = thread_cpu_ns() - before;
      end.at(me) = std::chrono::steady_clock::now();
    };
    const std::jthread first(run, 0);
    const std::jthread second(run, 1);
  }
  if (!good) return fail("a load could not be run to its end");
  const std::chrono::duration<double, std::nano> wall =
      std::max(end[0], end[1]) - std::min(begin[0], begin[1]);
  return Cost{wall.count(), cpu_ns[0] + cpu_ns[1]};
}

}  // namespace

double thread_cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Status pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof(set), &set) != 0)
    return fail_errno(errno, "cannot run on CPU " + std::to_string(cpu));
  return {};
}

Result<Cost> ping_pong(int rounds, int first_cpu, int second_cpu) {
  FTAP_TRY_ASSIGN(ping, make_pipe());
  FTAP_TRY_ASSIGN(pong, make_pipe());
  return two_threads({first_cpu, second_cpu}, [&](int me) {
    char byte = 'x';
    for (int i = 0; i < rounds; ++i) {
      if (me == 0 && ::write(ping.in.get(), &byte, 1) != 1) return false;
      if (::read(me == 0 ? pong.out.get() : ping.out.get(), &byte, 1) != 1) return false;
      if (me == 1 && ::write(pong.in.get(), &byte, 1) != 1) return false;
    }
    return true;
  });
}

Result<Cost> yields(int rounds, int cpu) {
  return two_threads({cpu, cpu}, [rounds](int) {
    for (int i = 0; i < rounds; ++i) ::sched_yield();
    return true;
  });
}

}  // namespace flowtap::bench
