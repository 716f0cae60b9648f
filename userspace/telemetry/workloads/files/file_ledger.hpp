// What the files of cgroups tell, added up by workload beyond the ends of its cgroups.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "telemetry/workloads/files/block_names.hpp"
#include "telemetry/workloads/files/cgroup_source.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// Counters add up what exists, and what has ended by its last reading. Files are read once more when a container, or
/// the last process of another workload, ends. Counters never fall, and begin with what the kernel counted for the
/// cgroup before flowtapd saw it. Gauges are the sum over what exists, and absent where nothing does. A limit is absent
/// unless everything that exists has one. Not thread-safe.
class FileLedger {
 public:
  FileLedger(std::unique_ptr<CgroupSource> source, BlockNames devices)
      : devices_(std::move(devices)), source_(std::move(source)) {}

  using Clock = UsageLedger::Clock;

  /// A cgroup is read each time while it is this young, unless it existed before flowtapd, so that little is missed of
  /// one that ends soon.
  static constexpr std::chrono::seconds kYoung{10};
  /// After that it is read this often: each file costs the kernel some microseconds, and there may be a dozen thousand.
  /// Where there are more cgroups than kPerSecond in that time, it is longer.
  static constexpr std::chrono::seconds kEvery{5};
  static constexpr std::size_t kPerSecond = 100;
  /// For a pod's sandbox it is longer by this factor. That is a process that sleeps for as long as the pod lives, and
  /// every other container of a Kubernetes node is one. The same holds for cgroups around workloads, which only have
  /// what these have, and which kubelet reads as often.
  static constexpr int kSeldomFactor = 3;

  /// When a cgroup is due again that was read `now` and is known since `first`. Those that came at the same time are
  /// spread over the time by their names.
  [[nodiscard]] Clock::time_point due(const std::string& name, Clock::time_point first, Clock::time_point now,
                                      bool seldom = false) const;

  /// Reads what is due in `workloads`, and forgets all others. What could not be read is added to `unread`.
  void round(const std::map<WorkloadName, Workload>& workloads, Clock::time_point now, std::uint64_t& unread);

  /// Reads what the cgroup at `top` has used, whose processes have just ended: its files tell it for the last time.
  void read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                 std::uint64_t& unread);

  struct Entry {
    CgroupValues values;  ///< without `io`
    NamedIo io;

    struct Instance {
      std::unique_ptr<OpenCgroup> cgroup;
      CgroupValues last;  ///< the part of each counter that is in `values`, and the gauges
      Clock::time_point first;
      Clock::time_point due;
    };
    std::map<std::string, Instance> instances;  ///< by path
    stats::Labels labels;                       ///< WorkloadName::labels()
    bool seldom = false;                        ///< see kSeldomFactor
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
  bool began_ = false;                    // what comes from now on is new
  std::unique_ptr<CgroupSource> source_;  // outlives what it opens
  std::map<WorkloadName, Entry> workloads_;
};

}  // namespace flowtap::telemetry
