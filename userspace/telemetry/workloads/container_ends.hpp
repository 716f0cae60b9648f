// How containers ended, the last time.
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
  /// More containers than this are not remembered: the one whose end is the longest ago goes. About 0.5 KiB each.
  static constexpr std::size_t kMost = 4096;

  void note(EndedContainer ended);

  /// Of the containers of a pod, each its last one, by their names.
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
