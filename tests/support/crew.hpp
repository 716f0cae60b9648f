// Tasks that make a known number of dispatches.
//
// The equality that the tests rest on: between two moments at which a task sleeps, it came to a CPU as often
// as it left one. So over a crew that sleeps at both moments, dispatches == voluntary + nonvoluntary context
// switches, exactly. For that all of the crew stay alive, asleep, until they are counted.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {

/// /proc/PID/status: both counts of context switches, summed over tasks.
struct SwitchCounts {
  std::uint64_t voluntary = 0;
  std::uint64_t nonvoluntary = 0;
  std::uint64_t tasks = 0;

  [[nodiscard]] std::uint64_t sum() const { return voluntary + nonvoluntary; }
  bool operator==(const SwitchCounts&) const = default;
};

/// What a job may do inside the crew's process.
class Hands {
 public:
  explicit Hands(const std::atomic<bool>& wanted) : wanted_(wanted) {}
  /// Whether a job that has done its part is to go on: whoever started the crew has not seen enough.
  [[nodiscard]] bool wanted() const { return wanted_; }
  /// Runs `work` in a thread that stays, asleep, when it is done.
  void thread(std::function<void()> work);
  /// Forks a process that stays, asleep, when `work` is done.
  void process(const std::function<void()>& work);
  /// Waits until the work of all threads is done (the threads stay).
  void wait();

 private:
  const std::atomic<bool>& wanted_;
  std::vector<std::jthread> threads_;
  std::atomic<std::size_t> done_ = 0;
};

using Job = std::function<void(Hands&)>;

void pin_to(const std::vector<int>& cpus);  ///< the calling thread
std::vector<int> online_cpus();

/// A process in a cgroup of its own that sleeps until it is told to do its job, or the next of its jobs.
class Crew {
 public:
  explicit Crew(const Job& job) : Crew(std::vector{job}) {}
  explicit Crew(const std::vector<Job>& jobs);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] std::uint64_t cgroup_id() const { return cgroup_.id(); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& cgroup_path() const { return cgroup_.path(); }
  void go();                        ///< lets the next job begin
  [[nodiscard]] bool busy() const;  ///< true until that job is done
  void finish() const;              ///< waits until it is; to be called between two jobs
  void want_more(bool more);        ///< what Hands::wanted() tells; false at first
  /// Waits until every task of the crew sleeps, and returns their switches.
  [[nodiscard]] SwitchCounts quiesce() const;

 private:
  ScratchCgroup cgroup_;
  std::atomic<bool>* wanted_;  // in memory that both processes see
  std::array<int, 2> go_{};
  std::array<int, 2> done_{};
  pid_t pid_ = -1;
};

}  // namespace flowtap::test
