// To whom the processes belong that use a device: /proc tells their cgroups, and the names are those of usage and logs.
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
  /// Like CgroupIdentities::open().
  [[nodiscard]] static Result<std::unique_ptr<ProcessIdentities>> open(
      const std::string& host_root, identity::UsageHierarchy hierarchy, identity::StateDirectories where,
      std::shared_ptr<NamedContainers> named);

  /// An answer is remembered together with the process's start time, so that another process with the same pid is asked
  /// about anew.
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
  std::optional<identity::RootDir> top_;  // where it is visible
  std::unique_ptr<CgroupIdentities> cgroups_;
  std::map<pid_t, Known> known_;
};

}  // namespace flowtap
