// Whose the processes are that use a device: by their cgroups, as /proc tells them, under the names that usage and logs have.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "telemetry/cgroup_names.hpp"
#include "telemetry/devices/device_names.hpp"

namespace flowtap {

class ProcessIdentities final : public telemetry::ProcessNames {
 public:
  /// As CgroupIdentities::open().
  [[nodiscard]] static Result<std::unique_ptr<ProcessIdentities>> open(
      const std::string& host_root, identity::UsageHierarchy hierarchy, identity::StateDirectories where,
      std::shared_ptr<NamedContainers> named);

  /// What it was once told is remembered with the process's start time, so that another one that gets the pid is asked anew.
  [[nodiscard]] std::optional<telemetry::WorkloadName> name(pid_t pid) override;

 private:
  static constexpr std::size_t kRemembered = 4096;  // about 200 bytes each

  struct Known {
    std::uint64_t start;
    telemetry::WorkloadName name;
  };

  ProcessIdentities(identity::RootDir proc, identity::UsageHierarchy hierarchy,
                    std::unique_ptr<CgroupIdentities> cgroups)
      : proc_(std::move(proc)),
        hierarchy_(std::move(hierarchy)),
        top_(hierarchy_.open()),
        cgroups_(std::move(cgroups)) {}

  [[nodiscard]] telemetry::CgroupNaming naming(const std::string& cgroup);

  identity::RootDir proc_;
  identity::UsageHierarchy hierarchy_;
  std::optional<identity::RootDir> top_;  // where it is seen
  std::unique_ptr<CgroupIdentities> cgroups_;
  std::map<pid_t, Known> known_;
};

}  // namespace flowtap
