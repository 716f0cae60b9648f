// Tasks whose order on a CPU is certain, so that one type of dispatch can be made on purpose.
//
// All but the fair ones are SCHED_FIFO: the highest priority runs, at once, until it sleeps. And the placement of a
// SCHED_FIFO wake-up has two rules only: the previous CPU, unless a task of higher priority holds it and another
// allowed CPU is held by nobody of this rank; and where the previous CPU is not allowed, the lowest allowed CPU,
// those of the same node first (select_task_rq_rt, select_fallback_rq).
//
// The director is the one who calls: it stays awake on a CPU of its own, so that no wake-up it makes is synchronous.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "tests/bpf/count_crew.hpp"

namespace flowtap::test {

using Cpus = std::vector<int>;

/// Where the director stays: nobody else is sent there.
inline constexpr int kDirector = 7;

/// SCHED_FIFO priorities; 0 is an ordinary task.
inline constexpr int kFair = 0;
inline constexpr int kSleeper = 10;
inline constexpr int kHog = 20;
inline constexpr int kFirst = 30;

/// Lets another hardware thread, or another virtual CPU of an emulator, run while this one spins.
void relax();
/// Sets the CPU affinity of a task of this process; 0 is the caller.
void allow(pid_t task, const Cpus& cpus);
/// Sets the priority of a task of this process; 0 is the caller.
void rank(pid_t task, int priority);
/// Whether a task of this process sleeps.
bool asleep(pid_t task);

/// A thread that sleeps until its cue and is then awake for one turn: short, or as long as it is held.
class Actor {
 public:
  /// Where `wakes` is given, each turn ends by giving that one its cue.
  Actor(Hands& hands, const Cpus& cpus, int priority, Actor* wakes = nullptr);
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  ~Actor() = default;

  void cue();         ///< wakes it
  void rest() const;  ///< waits until it has done all its turns and sleeps
  void hold();        ///< its next turn lasts until let_go(); gives the cue, and waits until it runs
  void let_go() { held_ = false; }  ///< ends a turn that holds
  void allow(const Cpus& cpus) const { test::allow(tid_, cpus); }
  void rank(int priority) const;
  /// One turn on this very CPU, which then is its previous one.
  void visit(int cpu);
  void leave() const;  ///< no more turns; Hands::wait() then returns

 private:
  void play();

  Actor* wakes_;
  std::array<int, 2> pipe_{};  // a write to a pipe is the wake-up that the kernel calls synchronous
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> held_ = false;
  std::atomic<std::uint64_t> cues_ = 0;
  std::atomic<std::uint64_t> begun_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

/// Without it a CPU that SCHED_FIFO tasks keep for long is taken from them for a while.
void no_throttling();

/// That the crew, which made so many wake-ups on purpose, made them of this type, and hardly any other.
void expect_alone(const Outcome& o, std::size_t type, std::uint64_t rounds);

}  // namespace flowtap::test
