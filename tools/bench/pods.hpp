// Processes that look to flowtapd like a node's pods: each the first in a mount namespace and a cgroup of its own, named
// as kubelet names them, with its output in a pipe that is read from outside.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::bench {

class Pods {
 public:
  /// So many, each writing a line of 100 B a second; they begin one after the other within a second.
  [[nodiscard]] static Result<std::unique_ptr<Pods>> start(std::size_t count);
  ~Pods();
  Pods(const Pods&) = delete;
  Pods& operator=(const Pods&) = delete;

  /// Ends them and reads what is left. Returns the bytes that they wrote.
  std::uint64_t stop();

  /// How the ids of all their containers begin.
  static constexpr std::string_view kIdStart = "be9c";

  /// What a pod runs: main() must call it when its only argument is this, since a container begins with an exec.
  static constexpr const char* kArgument = "--pod";
  [[noreturn]] static void be_one();

 private:
  struct Pod {
    std::string cgroup;
    pid_t pid = -1;
    Fd out;
  };

  Pods() = default;
  [[nodiscard]] Status add(const std::string& parent, std::size_t number);
  void read_all() noexcept;

  std::vector<std::string> directories_;  // of the cgroups, parents first
  std::vector<Pod> pods_;
  std::atomic<std::uint64_t> bytes_{0};
  std::thread reader_;
};

}  // namespace flowtap::bench
