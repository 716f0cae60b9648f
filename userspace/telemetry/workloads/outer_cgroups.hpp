// The cgroups around workloads, for the names of cAdvisor: pods' own, slices and the root.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"
#include "telemetry/workloads/files/file_ledger.hpp"
#include "telemetry/workloads/network_ledger.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// What all in it have used is in each of them again, so no sum may have their series beside those of workloads. Not
/// thread-safe.
class OuterCgroups {
 public:
  /// `proc`: the node's procfs. The root's memory is what it says where the kernel keeps none for the root's cgroup (v2).
  OuterCgroups(std::unique_ptr<CgroupSource> source, BlockNames devices, std::string proc)
      : files_(std::move(source), std::move(devices)), proc_(std::move(proc)) {}

  /// Reads those that are due. They are what the paths of `workloads` lead through. `inside` and `networks` know the
  /// processes of a pod's containers.
  void round(const std::map<WorkloadName, Workload>& workloads, const FileLedger& inside,
             const NetworkLedger& networks, FileLedger::Clock::time_point now, std::uint64_t& unread);

  /// Their series, and the paths of `workloads` that are units.
  void append_series(const std::map<WorkloadName, Workload>& workloads,
                     std::vector<stats::Series>& out) const;

 private:
  /// What is known of a pod through its containers.
  struct Pod {
    std::string uid;
    std::optional<double> processes;  // absent where one of them does not tell
    std::optional<double> started;    // the first of them
  };

  void find(const std::map<WorkloadName, Workload>& workloads);
  void look_inside(const FileLedger& inside, const NetworkLedger& networks);
  void add_root_memory(CgroupValues& values) const;

  std::map<WorkloadName, Workload> outer_;
  std::map<std::string, Pod> pods_;  // by the path of its cgroup
  FileLedger files_;
  std::string proc_;
};

}  // namespace flowtap::telemetry
