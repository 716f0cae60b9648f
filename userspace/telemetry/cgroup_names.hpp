// Says whose each of the node's cgroups is, with the help of identity/. The names are the same as those of the streams,
// so that logs and usage fit together.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "identity/named_containers.hpp"
#include "identity/node_resolver.hpp"
#include "identity/usage_hierarchy.hpp"
#include "telemetry/unit_success.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap {

class CgroupIdentities final : public telemetry::CgroupNames {
 public:
  /// `host_root` is where the node's file system is visible, with its /proc. `named` knows containers whose bundle is
  /// gone already.
  [[nodiscard]] static Result<std::unique_ptr<CgroupIdentities>> open(
      const std::string& host_root, const identity::UsageHierarchy& hierarchy,
      identity::StateDirectories where, std::shared_ptr<NamedContainers> named);

  [[nodiscard]] telemetry::CgroupNaming name(std::uint64_t id, const std::string& path) override;
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t id, std::string path)>& see) override;
  [[nodiscard]] bool has_processes(const std::string& path) override;
  [[nodiscard]] bool is_success(const std::string& unit, int status) override {
    return units_.is_success(unit, status);
  }

 private:
  CgroupIdentities(const std::string& host_root, std::unique_ptr<identity::NodeResolver> resolver,
                   std::shared_ptr<NamedContainers> named)
      : units_(host_root), resolver_(std::move(resolver)), named_(std::move(named)) {}

  UnitSuccess units_;
  std::unique_ptr<identity::NodeResolver> resolver_;
  std::shared_ptr<NamedContainers> named_;
};

/// `answer` as a workload's name; `path` is the cgroup's.
[[nodiscard]] telemetry::CgroupNaming naming_of(const identity::Answer& answer, std::string_view path);

}  // namespace flowtap
