// Processes that look to flowtapd like a node's pods. Each is the first one in its own mount namespace and its own
// cgroup, which is named as by kubelet, and its output goes to a pipe that is read from outside.
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
  /// What each pod does: it writes `lines` at once (0: none), and then one each second if it is `ticking`.
  struct Load {
    std::uint64_t lines = 0;
    bool ticking = true;
    bool network = false;  ///< has its own network namespace, with a device
  };
  /// Starts this many pods, with lines of 100 B; they begin one after the other within `spread`.
  [[nodiscard]] static Result<std::unique_ptr<Pods>> start(
      std::size_t count, Load load, std::chrono::milliseconds spread = std::chrono::seconds(1));
  ~Pods();
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  /// The bytes that they have written and that were read so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Ends them and reads the rest. Returns the bytes that they wrote.
  std::uint64_t stop();

  /// A pod begins with an exec of this same program, so main() must call this first. It returns in any other process.
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
