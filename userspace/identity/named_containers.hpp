// Which containers the stream path has named. Whoever comes later needs it: a container that lives for less than a
// cycle takes its bundle with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/lru.hpp"
#include "identity/container_runs.hpp"
#include "identity/identity.hpp"

namespace flowtap {

/// Thread-safe.
class NamedContainers {
 public:
  /// `cgroup`: its id (v2).
  void note(std::uint64_t cgroup, const identity::ContainerIdentity& who) {
    const std::scoped_lock lock(mutex_);
    by_cgroup_.put(std::to_string(cgroup), who);
  }
  [[nodiscard]] std::optional<identity::ContainerIdentity> find(std::uint64_t cgroup) {
    const std::scoped_lock lock(mutex_);
    const identity::ContainerIdentity* known = by_cgroup_.get(std::to_string(cgroup));
    return known != nullptr ? std::optional(*known) : std::nullopt;
  }

  [[nodiscard]] identity::ContainerRuns& runs() { return runs_; }

 private:
  static constexpr std::size_t kMost = 4096;  // about 1 KiB each

  std::mutex mutex_;
  Lru<identity::ContainerIdentity> by_cgroup_{kMost};
  identity::ContainerRuns runs_;
};

}  // namespace flowtap
