#include "telemetry/cgroup_names.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "identity/flow_id.hpp"
#include "identity/hierarchy.hpp"
#include "identity/runtimes/pod_logs.hpp"

namespace flowtap {
namespace {

using telemetry::CgroupNaming;
using telemetry::WorkloadKind;
using telemetry::WorkloadName;

// The text up to the first name that contains `word`.
std::string up_to(std::string_view path, std::string_view word) {
  const auto at = path.find(word);
  if (word.empty() || at == std::string_view::npos) return {};
  return std::string(path.substr(0, path.find('/', at)));
}

// kubelet names a static pod after its file and its node: what looks like a controller's suffix (etcd-master-0) is
// none.
std::string workload_of(const identity::ContainerIdentity& who) {
  if (!who.pod || (who.pod_uid && identity::is_static_pod_uid(*who.pod_uid))) return {};
  return std::string(telemetry::controller_of(*who.pod));
}

WorkloadName name_of(const identity::ContainerIdentity& who) {
  const std::string id = who.container_id.substr(0, kShortId);
  if (!who.pod && !who.pod_uid)
    return {.kind = WorkloadKind::kContainer,
            .ns = {},
            .pod = {},
            .container = who.container_name.value_or(id),
            .workload = {}};
  return {.kind = WorkloadKind::kPod,
          .ns = who.ns.value_or(""),
          .pod = who.pod.value_or(""),
          .container = who.sandbox ? std::string(telemetry::kSandbox) : who.container_name.value_or(id),
          .workload = workload_of(who)};
}

}  // namespace

CgroupNaming naming_of(const identity::Answer& answer, std::string_view path) {
  const bool complete = answer.certainty == identity::Certainty::kComplete;
  if (answer.container)
    return {.name = name_of(*answer.container),
            .complete = complete,
            .top = up_to(path, answer.container->container_id),
            .flow = identity::flow_id(*answer.container),
            .id = answer.container->container_id,
            .image = answer.container->image.value_or(""),
            .pod_uid = answer.container->pod_uid.value_or(""),
            .runtime = std::string(
                answer.container->runtime ? identity::runtime_name(*answer.container->runtime) : "")};
  if (answer.unit)
    return {
        .name = {.kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = *answer.unit},
        .complete = true,
        .top = up_to(path, *answer.unit),
        .flow = identity::unit_flow_id(*answer.unit)};
  return {.name = {.kind = WorkloadKind::kHost, .ns = {}, .pod = {}, .container = {}, .workload = {}},
          .complete = true,
          .top = {}};
}

Result<std::unique_ptr<CgroupIdentities>> CgroupIdentities::open(const std::string& host_root,
                                                                 const identity::UsageHierarchy& hierarchy,
                                                                 identity::StateDirectories where,
                                                                 std::shared_ptr<NamedContainers> named) {
  FTAP_TRY_ASSIGN(resolver, identity::NodeResolver::open(host_root, hierarchy.open(), std::move(where)));
  // It knows containers by their v2 cgroups; in v1 the same numbers belong to others.
  if (hierarchy.is_v1()) named = std::make_shared<NamedContainers>();
  return std::unique_ptr<CgroupIdentities>(
      new CgroupIdentities(host_root, std::move(resolver), std::move(named)));
}

CgroupNaming CgroupIdentities::name(std::uint64_t id, const std::string& path) {
  const auto last = path.rfind('/');
  const std::string above = path.substr(0, last);
  identity::Answer answer = resolver_->resolve({.cgroup = path.substr(last + 1),
                                                .parent = above.substr(above.rfind('/') + 1),
                                                .pid = 0,
                                                .cgroup_path = path,
                                                .start = {},
                                                .cgroup_id = id});
  if (answer.certainty == identity::Certainty::kPartial) {
    if (auto known = named_->find(id)) {
      answer.container = std::move(*known);
      answer.certainty = identity::Certainty::kComplete;
    }
  }
  if (answer.unit && path.ends_with('/' + *answer.unit)) units_.note(*answer.unit);
  return naming_of(answer, path);
}

Status CgroupIdentities::walk(const std::function<void(std::uint64_t id, std::string path)>& see) {
  const auto& cgroups = resolver_->cgroups();
  return cgroups ? identity::walk_cgroups(*cgroups, see) : Status{};
}

bool CgroupIdentities::has_processes(const std::string& path) {
  const auto& cgroups = resolver_->cgroups();
  if (!cgroups) return false;
  const auto file = cgroups->open_plain(path + "/cgroup.procs", O_RDONLY | O_CLOEXEC);
  char first = 0;
  return file && ::read(file->get(), &first, 1) == 1;
}

}  // namespace flowtap
