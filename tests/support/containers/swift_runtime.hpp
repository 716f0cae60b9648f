// A container runtime that does only what flowtapd can see of containerd. So it starts hundreds of containers a second,
// where runc starts ten.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// Each container has a cgroup of its own below its pod's, its bundle and its 0.log before its start, new mount and pid
/// namespaces, pipes as outputs, and kubelet's link to the log after the start. This process is in no such cgroup and
/// reads the pipes, like the shim. The root file system is the host's. The bundle goes 30 ms after the exit, which is
/// the soonest that containerd was seen to remove one.
class SwiftRuntime {
 public:
  /// Throws std::runtime_error, like everything here.
  SwiftRuntime(const ScratchRoot& root, const std::string& pod_uid);
  SwiftRuntime(const SwiftRuntime&) = delete;
  SwiftRuntime& operator=(const SwiftRuntime&) = delete;

  struct Container {
    std::string id;
    std::vector<std::string> argv;                   ///< the first is a path
    std::map<std::string, std::string> annotations;  ///< the CRI's
    std::string log_directory;                       ///< the pod's, below the root
  };
  /// What it wrote, as it came out of its pipes.
  struct Life {
    std::string out;
    std::string err;
    int status = -1;
  };
  /// Runs all of them, at most `together` at the same time; returns when all have ended.
  [[nodiscard]] std::vector<Life> run(const std::vector<Container>& containers, std::size_t together);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::size_t number = 0;
    Fd process;
    Fd out;
    Fd err;
    Clock::time_point exited{};  // zero: it has not exited
  };
  [[nodiscard]] Running start(const Container& container, std::size_t number);
  void link_log(const Container& container) const;
  void watch(const Fd& fd, std::size_t number, std::uint32_t what);
  void take(Running& running, std::uint32_t what, Life& life);
  void remove(const Container& container) const;
  [[nodiscard]] std::string bundle(const std::string& id) const;

  const ScratchRoot& root_;
  ScratchCgroup pod_;
  Fd events_;
  std::unordered_map<std::size_t, Running> running_;
};

}  // namespace flowtap::test
