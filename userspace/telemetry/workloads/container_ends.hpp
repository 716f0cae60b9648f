// How each container's last end came about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// Thread-safe.
class ContainerEnds {
 public:
  /// It remembers at most this many containers: the one whose end is the longest ago goes first. About 0.5 KiB each.
  static constexpr std::size_t kMost = 4096;

  void note(EndedContainer ended);

  /// The last ends of a pod's containers, by container name.
  [[nodiscard]] std::vector<EndedContainer> of_pod(std::string_view ns, std::string_view pod) const;

 private:
  struct Entry {
    EndedContainer ended;
    std::uint64_t number = 0;
  };

  mutable std::mutex mutex_;
  std::map<WorkloadName, Entry> by_name_;
  std::map<std::uint64_t, WorkloadName> by_number_;  // in the order in which they came
  std::uint64_t numbers_ = 0;
};

}  // namespace flowtap::telemetry
