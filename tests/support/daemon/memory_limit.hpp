// A memory limit for a running process, in whichever hierarchy of cgroups has the controller.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace flowtap::test {

class MemoryLimit {
 public:
  /// From now on the process is killed when it and its children take more than `bytes`. If the controller belongs to
  /// v1, the process is put into a new cgroup there; otherwise its cgroup of v2 is limited. Throws std::runtime_error.
  MemoryLimit(pid_t pid, std::uint64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// How many processes the kernel has killed for it; of v2 also for its siblings.
  [[nodiscard]] std::uint64_t kills() const;

 private:
  std::string path_;
  std::string events_;        // the file that counts kills
  std::uint64_t before_ = 0;  // as that file counted
  bool own_ = false;
};

/// A cgroup with a memory limit for processes that have not begun yet. What they leave in memory stays charged to it.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(std::uint64_t bytes);  ///< throws std::runtime_error
  ~MemoryCgroup();
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  /// From now on. Throws where it holds more that cannot be taken back.
  void limit(std::uint64_t bytes) const;
  /// For DaemonOptions::before_exec: the calling process enters it, or ends.
  void join() const;
  /// How many processes the kernel has killed for it.
  [[nodiscard]] std::uint64_t kills() const;

 private:
  std::string path_;
  std::string limit_;
  std::string events_;
};

}  // namespace flowtap::test
