#include "tests/bpf/stage.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

namespace flowtap::test {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void allow(pid_t task, const Cpus& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(task, sizeof(set), &set) != 0) ::_exit(1);
}

bool asleep(pid_t task) {
  std::array<char, 256> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", task);
  std::FILE* file = std::fopen(path.data(), "re");
  if (file == nullptr) return false;
  char state = '?';
  if (std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  std::fclose(file);
  return state == 'S';
}

void rank(pid_t task, int priority) {
  const sched_param param{.sched_priority = priority};
  if (::sched_setscheduler(task, priority == kFair ? SCHED_OTHER : SCHED_FIFO, &param) != 0) ::_exit(1);
}

Actor::Actor(Hands& hands, const Cpus& cpus, int priority, Actor* wakes) : wakes_(wakes) {
  if (::pipe(pipe_.data()) != 0) ::_exit(1);
  hands.thread([this, cpus, priority] {
    test::allow(0, cpus);
    test::rank(0, priority);
    tid_ = static_cast<pid_t>(::syscall(SYS_gettid));
    play();
  });
  while (tid_ == 0) relax();
  rest();
}

void Actor::play() {
  char c = 0;
  while (::read(pipe_[0], &c, 1) == 1) {
    ++begun_;
    while (held_) relax();
    if (wakes_ != nullptr) wakes_->cue();
    ++done_;
  }
}

void Actor::cue() {
  ++cues_;
  if (::write(pipe_[1], "c", 1) != 1) ::_exit(1);
}

void Actor::rest() const {
  while (done_ != cues_) relax();
  while (!asleep(tid_)) relax();
}

void Actor::hold() {
  held_ = true;
  cue();
  while (begun_ != cues_) relax();
}

void Actor::visit(int cpu) {
  allow({cpu});
  cue();
  rest();
}

void Actor::rank(int priority) const {
  test::rank(tid_, priority);
}

void Actor::leave() const {
  ::close(pipe_[1]);
}

void no_throttling() {
  std::FILE* file = std::fopen("/proc/sys/kernel/sched_rt_runtime_us", "we");
  if (file == nullptr || std::fputs("-1", file) < 0 || std::fclose(file) != 0)
    throw std::runtime_error("cannot lift the limit of SCHED_FIFO tasks");
}

void expect_alone(const Outcome& o, std::size_t type, std::uint64_t rounds) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_EQ(o.of(FTAP_SLOT_UNOBSERVED), 0U);
  // The kernel's own threads run on these CPUs as well, now and then.
  EXPECT_GE(o.of(type), rounds * 8 / 10);
  EXPECT_LE(o.woken_or_new() + o.pulled() - o.of(FTAP_SLOT_NEW) - o.of(FTAP_SLOT_PINNED), o.of(type) + 20U)
      << "others only while it starts";
}

}  // namespace flowtap::test
