// A cgroup that belongs to the test, so that its tasks can be told from all others on the machine.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace flowtap::test {

/// Removes a cgroup whose tasks end. Does nothing if there is none.
void remove_cgroup(const std::string& path);

class ScratchCgroup {
 public:
  /// Makes it below the root of the v2 hierarchy, wherever that is mounted. Throws std::runtime_error: without it the
  /// test cannot run, and a skip would hide that.
  ScratchCgroup();
  /// The same at a path there, such as "a.slice/b.service". The cgroups above it are made and removed with it.
  explicit ScratchCgroup(const std::string& path);
  /// The same in the hierarchy that is mounted at `top`, which may be of v1 (V1Hierarchy).
  ScratchCgroup(const std::string& path, std::string top);
  ~ScratchCgroup();
  ScratchCgroup(const ScratchCgroup&) = delete;
  ScratchCgroup& operator=(const ScratchCgroup&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t id() const;          ///< what BPF sees: the inode number of the directory
  void join() const;                               ///< moves the calling process into it
  [[nodiscard]] std::vector<pid_t> tasks() const;  ///< thread ids; only for v2

 private:
  std::string path_;
  std::size_t levels_ = 1;
};

}  // namespace flowtap::test
