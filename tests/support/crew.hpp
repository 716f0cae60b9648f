// Tasks whose number of dispatches can be told exactly.
//
// The equality that the tests rest on: between two moments at which a task sleeps, it came to a CPU as often
// as it left one. So over a crew that sleeps at both moments, dispatches == voluntary + nonvoluntary context
// switches, exactly. For this, all tasks of the crew stay alive and asleep until they are counted.
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

/// The operations that a job may use inside the crew's process.
class Hands {
 public:
  explicit Hands(const std::atomic<bool>& wanted) : wanted_(wanted) {}
  /// Whether a job that has done its part is to go on, because the test has not seen enough.
  [[nodiscard]] bool wanted() const { return wanted_; }
  /// Runs `work` in a thread that stays, asleep, after its work.
  void thread(std::function<void()> work);
  /// Forks a process that stays, asleep, after `work`.
  void process(const std::function<void()>& work);
  /// Waits until the work of all threads is done (the threads stay).
  void wait();

 private:
  const std::atomic<bool>& wanted_;
  std::vector<std::jthread> threads_;
  std::atomic<std::size_t> done_ = 0;
};

using Job = std::function<void(Hands&)>;

void pin_to(const std::vector<int>& cpus);  ///< pins the calling thread
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
  void go();                        ///< starts the next job
  [[nodiscard]] bool busy() const;  ///< true until that job is done
  void finish() const;              ///< waits until the job is done; to be called between two jobs
  void want_more(bool more);        ///< sets the answer of Hands::wanted(); false at first
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
