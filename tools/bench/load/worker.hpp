// A process of a benchmark's own that does one job as often as it is told. Where the tap is measured, writers and readers
// are processes as on a node, not threads of whoever drains the ring.
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

/// When a job ran, ns on CLOCK_MONOTONIC, and what its thread used, with the children that it has waited for.
struct Span {
  double begin_ns = 0;
  double end_ns = 0;
  double cpu_ns = 0;
};

class Worker {
 public:
  /// False: it could not be done.
  using Job = std::function<bool(const Order&)>;

  /// Forks. Before programs are attached: who inherits their links keeps them attached.
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
  /// Until the order is done.
  [[nodiscard]] Result<Span> wait() const;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Worker() = default;

  pid_t pid_ = -1;
  Fd orders_;
  Fd answers_;
};

/// Calls `some` with how many are due, each millisecond, or at once with all. For jobs.
[[nodiscard]] bool at_pace(const Order& order, const std::function<bool(std::uint64_t)>& some);

}  // namespace flowtap::bench
