// Facts for labels that a series itself does not have: the machine's name, which card a device is and who uses it, and
// which container a workload is.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

/// The value of one of our labels; empty if the series has no label of that name.
[[nodiscard]] std::string_view label(const Series& series, std::string_view key);

/// The only pod that uses a device. `container` is empty if several of its containers use it.
struct PodOnDevice {
  std::string ns{};
  std::string pod{};
  std::string container{};
};

/// The values by which the vendor's tools identify a card; empty if they are not known.
struct CardOfDevice {
  std::string model{};
  std::string index{};
  std::string node{};
};

/// Labels with their values, as another exporter has them.
using LabelPairs = std::vector<std::pair<std::string, std::string>>;

/// The labels of a series that identify its workload.
using WorkloadKey = std::array<std::string, 5>;

/// The container that a workload is now; members that are not known are empty.
struct InstanceOfWorkload {
  std::string id{};
  std::string image{};
  std::string cgroup{};
  std::string pod_uid{};
  std::string runtime{};

  bool operator==(const InstanceOfWorkload&) const = default;
};
using Instances = std::map<WorkloadKey, InstanceOfWorkload>;

[[nodiscard]] WorkloadKey workload_of(const Series& series);

/// For all workloads and cgroups whose path is known and that are there now. If a workload has several containers, such
/// as while one replaces the other, one of them. A pod's sandbox stands for what the pod has as a whole, too (its
/// network: a series without a container).
[[nodiscard]] Instances read_instances(const Snapshot& snapshot);

class Surroundings {
 public:
  /// `host`: this machine's name; empty if it is not known. `last`: the last known data of containers that have ended;
  /// may be null.
  Surroundings(const Snapshot& snapshot, std::string host, std::shared_ptr<const Instances> last = nullptr);

  [[nodiscard]] const std::string& host() const { return host_; }
  /// The card of the series' device.
  [[nodiscard]] const CardOfDevice& card(const Series& series) const;
  /// Null if the series is not about a container, or about one that has ended. If a workload has several containers,
  /// such as while one replaces the other, one of them.
  [[nodiscard]] const InstanceOfWorkload* instance(const Series& series) const;
  /// The same; for a container that has ended, its last known data.
  [[nodiscard]] const InstanceOfWorkload* last_instance(const Series& series) const;
  /// The cgroup of the series' pod itself; null if it is not known.
  [[nodiscard]] const InstanceOfWorkload* pod(const Series& series) const;
  /// Whether the series' workload has a limit of CPU time.
  [[nodiscard]] bool has_quota(const Series& series) const { return quotas_.contains(workload_of(series)); }
  /// Whether the series of a file system is about the first mount of its device.
  [[nodiscard]] bool is_first_mount(const Series& series) const;
  /// The machine's ids, as far as they are known.
  [[nodiscard]] const LabelPairs& machine() const { return machine_; }
  /// Null if no pod or more than one has a process on the device. Parts of a GPU (MIG) do not count as devices here.
  [[nodiscard]] const PodOnDevice* pod_on(const Series& series) const;

 private:
  std::string host_;
  std::map<std::string, CardOfDevice, std::less<>> cards_;  // by the device's address
  std::map<std::string, PodOnDevice, std::less<>> users_;   // likewise; without a pod if there are several
  Instances instances_;
  std::shared_ptr<const Instances> last_;
  std::map<std::pair<std::string, std::string>, InstanceOfWorkload> pods_;  // by namespace and name
  std::set<WorkloadKey> quotas_;
  std::map<std::string, std::string, std::less<>> mounts_;  // the first of each device
  LabelPairs machine_;
};

}  // namespace flowtap::stats::compat
