#include "telemetry/process_names.hpp"

#include <utility>

#include "base/node/on_host.hpp"
#include "identity/proc_identity.hpp"
#include "identity/root_dir.hpp"

namespace flowtap {

Result<std::unique_ptr<ProcessIdentities>> ProcessIdentities::open(const std::string& host_root,
                                                                   identity::UsageHierarchy hierarchy,
                                                                   identity::StateDirectories where,
                                                                   std::shared_ptr<NamedContainers> named) {
  FTAP_TRY_ASSIGN(cgroups, CgroupIdentities::open(host_root, hierarchy, std::move(where), std::move(named)));
  FTAP_TRY_ASSIGN(proc, identity::RootDir::open(on_host(host_root, "/proc")));
  return std::unique_ptr<ProcessIdentities>(
      new ProcessIdentities(std::move(proc), std::move(hierarchy), std::move(cgroups)));
}

telemetry::CgroupNaming ProcessIdentities::naming(const std::string& cgroup) {
  // Its number only tells two devices with the same name apart.
  constexpr std::uint64_t kUnseen = 0;
  const auto id = top_ ? top_->inode(cgroup) : Result<std::uint64_t>(kUnseen);
  return cgroups_->name(id.value_or(kUnseen), cgroup);
}

std::optional<telemetry::WorkloadName> ProcessIdentities::name(pid_t pid) {
  // The open directory stays that of one process, dead or not.
  const auto dir = proc_.below(std::to_string(pid));
  if (!dir) return std::nullopt;
  const auto text = dir->read("stat", identity::kProcStatLimit);
  const auto stat = text ? identity::parse_proc_stat(*text) : std::unexpected(text.error());
  if (!stat) return std::nullopt;
  const auto known = known_.find(pid);
  if (known != known_.end() && known->second.start == stat->start) return known->second.name;

  const auto cgroup = dir->read("cgroup", identity::kProcCgroupLimit);
  if (!cgroup) return std::nullopt;
  const auto path = hierarchy_.path_in(*cgroup);
  telemetry::CgroupNaming found = path ? naming(*path) : naming_of(identity::Answer{}, "/");
  // A process whose names are still to come is asked about again.
  if (!found.complete) return std::move(found.name);
  if (known_.size() >= kRemembered) known_.clear();
  known_.insert_or_assign(pid, Known{stat->start, found.name});
  return std::move(found.name);
}

}  // namespace flowtap
