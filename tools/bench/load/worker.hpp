// A process of the benchmark that does one job as often as it is told. When the tap is measured, writers and readers
// are processes, as on a node, and not threads of the process that drains the ring.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::bench {

struct Order {
  std::uint64_t times = 0;
  std::uint64_t per_second = 0;  ///< 0: flat out
};

/// When a job ran, in ns on CLOCK_MONOTONIC, and the CPU time of its thread and of the children that it has waited for.
struct Span {
  double begin_ns = 0;
  double end_ns = 0;
  double cpu_ns = 0;
};

class Worker {
 public:
  /// False: the job could not be done.
  using Job = std::function<bool(const Order&)>;

  /// Forks. Call it before programs are attached: a child that inherits their links keeps them attached.
  [[nodiscard]] static Result<std::unique_ptr<Worker>> start(const Job& job);
  /// The same for a process that becomes another program first: `child` does so, with the two descriptors, which are not
  /// closed on exec, and that program calls serve() with them.
  [[nodiscard]] static Result<std::unique_ptr<Worker>> start_child(
      const std::function<void(int orders, int answers)>& child);
  [[noreturn]] static void serve(int orders, int answers, const Job& job);
  ~Worker();  ///< SIGKILL
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] Status order(const Order& order) const;
  /// Waits until the order is done.
  [[nodiscard]] Result<Span> wait() const;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Worker() = default;

  pid_t pid_ = -1;
  Fd orders_;
  Fd answers_;
};

/// For jobs: calls `some` each millisecond with the number that is due, or once with all.
[[nodiscard]] bool at_pace(const Order& order, const std::function<bool(std::uint64_t)>& some);

}  // namespace flowtap::bench
