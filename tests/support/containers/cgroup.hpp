// A cgroup of the test's own, so that its tasks can be told from all others of the machine.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace flowtap::test {

class ScratchCgroup {
 public:
  /// Made below the root of the v2 hierarchy, wherever that is mounted. Throws std::runtime_error: without it
  /// the test cannot run, and a skip would be a hole.
  ScratchCgroup();
  /// The same at this path there, "a.slice/b.service", with those above it, which go with it.
  explicit ScratchCgroup(const std::string& path);
  /// The same in the hierarchy that is mounted at `top`, of v1, say (V1Hierarchy).
  ScratchCgroup(const std::string& path, std::string top);
  ~ScratchCgroup();
  ScratchCgroup(const ScratchCgroup&) = delete;
  ScratchCgroup& operator=(const ScratchCgroup&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t id() const;          ///< what BPF sees: the inode number of the directory
  void join() const;                               ///< moves the calling process into it
  [[nodiscard]] std::vector<pid_t> tasks() const;  ///< thread ids; of v2 alone

 private:
  std::string path_;
  std::size_t levels_ = 1;
};

}  // namespace flowtap::test
