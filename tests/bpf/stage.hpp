// Tasks whose order on a CPU is certain, so that one type of dispatch can be made on purpose.
//
// All except the fair ones are SCHED_FIFO: the highest priority runs, at once, until it sleeps. The placement of a
// SCHED_FIFO wake-up has only two rules. It is the previous CPU, unless a task of higher priority holds it and nobody
// of this rank holds another allowed CPU. Where the previous CPU is not allowed, it is the lowest allowed CPU, and
// those of the same node come first (select_task_rq_rt, select_fallback_rq).
//
// The director is the caller: it stays awake on a CPU of its own, so that none of its wake-ups is synchronous.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "tests/bpf/count_crew.hpp"

namespace flowtap::test {

using Cpus = std::vector<int>;

/// The director's CPU: nobody else is sent there.
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

/// A thread that sleeps until its cue and is then awake for one turn, which is short or lasts as long as it is held.
class Actor {
 public:
  /// Where `wakes` is given, each turn ends by giving that actor its cue.
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
  /// One turn on exactly this CPU, which is its previous one from then on.
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

/// Without this the kernel takes a CPU that SCHED_FIFO tasks keep for long away from them for a while.
void no_throttling();

/// Expects that the crew, which made this many wake-ups on purpose, made them of this type, and hardly any other.
void expect_alone(const Outcome& o, std::size_t type, std::uint64_t rounds);

}  // namespace flowtap::test
