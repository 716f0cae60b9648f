// What a series is labelled with and does not say itself: the machine's name, which card a device is and whose,
// which container a workload is.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

/// The value of one of our labels; empty where the series has none of that name.
[[nodiscard]] std::string_view label(const Series& series, std::string_view key);

/// The one pod that uses a device. `container` is empty where several of its containers do.
struct PodOnDevice {
  std::string ns{};
  std::string pod{};
  std::string container{};
};

/// What tells a card apart for its vendor's tools; empty where it is not told.
struct CardOfDevice {
  std::string model{};
  std::string index{};
  std::string node{};
};

/// The labels of a series that tell its workload.
using WorkloadKey = std::array<std::string, 5>;

/// The container that a workload is now; empty what is not known of it.
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

/// Of all workloads that are containers and are there now. Of several containers, as while one takes the other's place, one.
[[nodiscard]] Instances read_instances(const Snapshot& snapshot);

class Surroundings {
 public:
  /// `host`: this machine's name; empty where it is not known. `last`: what containers that have ended were; may be null.
  Surroundings(const Snapshot& snapshot, std::string host, std::shared_ptr<const Instances> last = nullptr);

  [[nodiscard]] const std::string& host() const { return host_; }
  /// Of the device that the series is of.
  [[nodiscard]] const CardOfDevice& card(const Series& series) const;
  /// Null where the series is of no container, or of one that has ended. Of several, as while one takes the other's place, one.
  [[nodiscard]] const InstanceOfWorkload* instance(const Series& series) const;
  /// The same, but of one that has ended what it was last.
  [[nodiscard]] const InstanceOfWorkload* last_instance(const Series& series) const;
  /// Null where no pod has a process on the device, or several have. Parts of a GPU (MIG) are no such devices.
  [[nodiscard]] const PodOnDevice* pod_on(const Series& series) const;

 private:
  std::string host_;
  std::map<std::string, CardOfDevice, std::less<>> cards_;  // by the device's address
  std::map<std::string, PodOnDevice, std::less<>> users_;   // alike; without a pod where there are several
  Instances instances_;
  std::shared_ptr<const Instances> last_;
};

}  // namespace flowtap::stats::compat
