// Processes that look to flowtapd like a node's pods: each the first in a mount namespace and a cgroup of its own, named
// as kubelet names them, with its output in a pipe that is read from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "tools/bench/load/pod_cgroups.hpp"

namespace flowtap::bench {

class Pods {
 public:
  /// What each does: writes `lines` at once (0: none), and then one each second if it is `ticking`.
  struct Load {
    std::uint64_t lines = 0;
    bool ticking = true;
    bool network = false;  ///< of its own, with a device
  };
  /// So many, with lines of 100 B; they begin one after the other within `spread`.
  [[nodiscard]] static Result<std::unique_ptr<Pods>> start(
      std::size_t count, Load load, std::chrono::milliseconds spread = std::chrono::seconds(1));
  ~Pods();
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  /// What they have written and was read of it so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Ends them and reads what is left. Returns the bytes that they wrote.
  std::uint64_t stop();

  /// A pod begins with an exec of this same program: main() must call this first. It returns where that is not so.
  static void be_one(int argc, char** argv);

 private:
  struct Pod {
    pid_t pid = -1;
    Fd out;
  };

  Pods() = default;
  [[nodiscard]] Status begin(std::size_t number, Load load, Fd output);
  void read_all() noexcept;

  std::unique_ptr<PodCgroups> cgroups_;
  std::vector<Pod> pods_;
  std::atomic<std::uint64_t> bytes_{0};
  std::thread reader_;
};

}  // namespace flowtap::bench
