// What the kernel side tells about the node's cgroups, in one hierarchy, and about what their tasks used.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stats/slots.h"

namespace flowtap::stats {

/// Dispatches by how long they waited: buckets of a coarse histogram (stats/slots.h).
using Waits = std::array<std::uint64_t, FTAP_COARSE_EDGES + 1>;

/// Summed over all CPUs, offline ones included. Never goes back while the group belongs to the same cgroup.
struct GroupUsage {
  std::uint64_t run_ns =
      0;  ///< on a CPU, as the kernel charges it to the cgroup, up to each task's last switch
  std::uint64_t wait_ns = 0;     ///< runnable without a CPU
  std::uint64_t dispatches = 0;  ///< how often one of its tasks was given one
  std::uint64_t cycles = 0;      ///< CPU cycles; 0: not counted. They may lag behind run_ns until a switch
  Waits waits{};                 ///< the dispatches whose wait is known; a source's wrap at 32 bits

  GroupUsage& operator+=(const GroupUsage& more) {
    run_ns += more.run_ns;
    wait_ns += more.wait_ns;
    dispatches += more.dispatches;
    cycles += more.cycles;
    for (std::size_t i = 0; i < waits.size(); ++i) waits[i] += more.waits[i];
    return *this;
  }
  bool operator==(const GroupUsage&) const = default;
};

/// How a process ended.
struct ProcessEnd {
  int status = 0;       ///< as wait(2) has it
  bool oom = false;     ///< the kernel chose to kill it because memory was short
  bool started = true;  ///< false: it never executed a program, so the status is that of whoever prepared it
  std::chrono::steady_clock::time_point time = {};
  std::string name = {};      ///< the kernel's short name of the process; any bytes
  bool outer_parent = false;  ///< its parent is outside of its cgroup, as the manager of a unit is
  bool operator==(const ProcessEnd&) const = default;
};

/// A cgroup was made, is gone or has lost its last process, the container in it has begun or ended, or another of its
/// processes ended.
struct CgroupEvent {
  std::uint64_t id = 0;  ///< the inode number of its directory; never used again
  bool gone = false;
  std::string path;  ///< from the hierarchy's root, with a slash in front; empty: not known
  std::optional<ProcessEnd> ended = {};  ///< of the container's first process
  /// Of another process: one that was killed for want of memory, or one with an outer parent.
  std::optional<ProcessEnd> process_ended = {};
  bool empty = false;                       ///< the last process in it and below has left
  std::optional<std::uint64_t> began = {};  ///< pid of the container's first process in our namespace
};

/// A cgroup that has a number, under which its usage stands.
struct NumberedCgroup {
  std::uint64_t id = 0;
  std::uint32_t group = 0;
};

/// Not thread-safe.
class UsageSource {
 public:
  UsageSource() = default;
  virtual ~UsageSource() = default;
  UsageSource(const UsageSource&) = delete;
  UsageSource& operator=(const UsageSource&) = delete;

  /// Calls `take` for what came and went since the last call, in order. False: some of it is lost.
  [[nodiscard]] virtual bool take_events(const std::function<void(CgroupEvent)>& take) = 0;
  /// How many events were lost so far.
  [[nodiscard]] virtual std::uint64_t lost_events() const { return 0; }
  /// A descriptor that is readable from when a container has begun or ended, a cgroup has lost its last process, or
  /// many events wait, until take_events(); -1: nobody tells.
  [[nodiscard]] virtual int ends() const { return -1; }
  /// All cgroups with a task that was given a CPU.
  [[nodiscard]] virtual Result<std::vector<NumberedCgroup>> numbered() = 0;
  /// Whether the usage includes the cycles of everything that ran between the last two calls of numbered().
  [[nodiscard]] virtual bool counts_cycles() const { return false; }
  [[nodiscard]] virtual GroupUsage read(std::uint32_t group) const = 0;
  /// The last usage under the number, which is free for another cgroup from now on. Only for a cgroup that is gone, and
  /// some time after that: its last task is still on its way out.
  [[nodiscard]] virtual GroupUsage release(const NumberedCgroup& cgroup) = 0;
  /// The usage of cgroups that found no number.
  [[nodiscard]] virtual GroupUsage unnumbered() const = 0;
};

}  // namespace flowtap::stats
