// What the files of cgroups tell, added up by workload over the ends of its cgroups.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "telemetry/workloads/files/block_names.hpp"
#include "telemetry/workloads/files/cgroup_source.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// Counters: of what ended, as it was read last, and of what is there. They are read once more
/// when a container, or the last process of another workload, ends. They never fall, and begin with what the kernel counted of the cgroup before flowtapd saw it. Gauges: the sum over what is there,
/// absent where nothing is. A limit is absent unless all that is there has one. Not thread-safe.
class FileLedger {
 public:
  FileLedger(std::unique_ptr<CgroupSource> source, BlockNames devices)
      : devices_(std::move(devices)), source_(std::move(source)) {}

  using Clock = UsageLedger::Clock;

  /// A cgroup is read each time for so long, unless it was there before, so that little is missed of one that ends soon,
  static constexpr std::chrono::seconds kYoung{10};
  /// and then so often: each file costs the kernel some microseconds, and there may be a dozen thousand. Where there are more
  /// cgroups than kPerSecond in that time, it is longer.
  static constexpr std::chrono::seconds kEvery{5};
  static constexpr std::size_t kPerSecond = 100;
  /// So many times as long for a pod's sandbox, a process that sleeps for as long as the pod lives: every other container of
  /// a Kubernetes node is one.
  static constexpr int kSandboxFactor = 3;

  /// When a cgroup is to be read again that was read `now`, and is known since `first`: those that came at once are spread
  /// over the time by what they are called.
  [[nodiscard]] Clock::time_point due(const std::string& name, Clock::time_point first, Clock::time_point now,
                                      bool sandbox = false) const;

  /// Reads what is due of `workloads`, and forgets all others. What could not be read is added to `unread`.
  void round(const std::map<WorkloadName, Workload>& workloads, Clock::time_point now, std::uint64_t& unread);

  /// What the cgroup at `top` has used, whose processes have just ended: this is the last time that its files tell.
  void read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                 std::uint64_t& unread);

  struct Entry {
    CgroupValues values;  ///< but for `io`
    NamedIo io;

    struct Instance {
      std::unique_ptr<OpenCgroup> cgroup;
      CgroupValues last;  ///< of each counter what `values` has of it, and the gauges
      Clock::time_point first;
      Clock::time_point due;
    };
    std::map<std::string, Instance> instances;  ///< by path
    stats::Labels labels;                       ///< WorkloadName::labels()
    bool sandbox = false;
  };
  [[nodiscard]] const std::map<WorkloadName, Entry>& workloads() const { return workloads_; }

 private:
  void read(Entry& entry, const std::set<std::string>& tops, Clock::time_point now, std::uint64_t& unread);
  bool look(Entry& entry, const std::string& path, Entry::Instance& instance, Clock::time_point now,
            std::uint64_t& unread);
  void add_io(NamedIo& to, const BlockIo& now, std::optional<BlockIo>& before);
  void open(Entry& entry, const std::string& path, Clock::time_point now, std::uint64_t& unread);

  BlockNames devices_;
  Clock::duration every_ = kEvery;
  bool began_ = false;                    // what comes now is new
  std::unique_ptr<CgroupSource> source_;  // outlives what it opens
  std::map<WorkloadName, Entry> workloads_;
};

}  // namespace flowtap::telemetry
