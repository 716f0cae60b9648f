// What the files of cgroups tell, added up by workload over the ends of its cgroups.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "telemetry/workloads/cgroup_source.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// Counters: of what ended, as it was read last, and of what is there; of a cgroup that ends between two reads the last of
/// them counts, so that at most a cycle of its faults and input/output is missed (UsageLedger misses no CPU time). They never
/// fall, and begin with what the kernel counted of the cgroup before flowtapd saw it. Gauges: the sum over what is there,
/// absent where nothing is. A limit is absent unless all that is there has one. Not thread-safe.
class FileLedger {
 public:
  explicit FileLedger(std::unique_ptr<CgroupSource> source) : source_(std::move(source)) {}

  /// Reads all of `workloads` anew and forgets all others. What could not be read is added to `unread`.
  void round(const std::map<WorkloadName, Workload>& workloads, std::uint64_t& unread);

  struct Entry {
    CgroupValues values;

   private:
    friend FileLedger;
    struct Instance {
      std::unique_ptr<OpenCgroup> cgroup;
      CgroupValues counted;  // what the counters have of it
    };
    std::map<std::string, Instance> instances;  // by path
  };
  [[nodiscard]] const std::map<WorkloadName, Entry>& workloads() const { return workloads_; }

 private:
  void read(Entry& entry, const std::set<std::string>& tops, std::uint64_t& unread);

  std::unique_ptr<CgroupSource> source_;  // outlives what it opens
  std::map<WorkloadName, Entry> workloads_;
};

}  // namespace flowtap::telemetry
