// What a workload is called in metrics.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/flows/sandbox_container.hpp"
#include "stats/workload_labels.hpp"

namespace flowtap::telemetry {

/// The container of a pod that only holds its namespaces.
inline constexpr std::string_view kSandbox = kSandboxContainer;

enum class WorkloadKind : std::uint8_t {
  kPod,        ///< a container of a pod
  kContainer,  ///< from Docker, podman or another client of containerd
  kUnit,       ///< a systemd unit, with what runs below it
  kHost,       ///< the kernel's threads and processes outside of all these
  kUnknown,    ///< a cgroup that nobody could identify, or that found no number of its own
  kOuter,      ///< a cgroup around workloads: a pod's own, a slice, the root (OuterCgroups)
};

/// Instances with the same name (a container before and after its restart) are one.
struct WorkloadName {
  WorkloadKind kind = WorkloadKind::kUnknown;
  std::string ns;
  std::string pod;
  std::string container;
  std::string workload;  ///< the pod's controller, the unit, or the path of an outer cgroup

  auto operator<=>(const WorkloadName&) const = default;

  /// In the order of the labels of stats/workload.def.
  [[nodiscard]] std::vector<std::string> labels() const;
};

[[nodiscard]] std::string_view kind_name(WorkloadKind kind);

[[nodiscard]] constexpr bool is_container(WorkloadKind kind) {
  return kind == WorkloadKind::kPod || kind == WorkloadKind::kContainer;
}

[[nodiscard]] inline bool is_sandbox(const WorkloadName& name) {
  return name.kind == WorkloadKind::kPod && name.container == kSandbox;
}

/// The controller that named the pod: "web" from "web-5d69c7f9c9-x7x2b" (Deployment), "agent-w4k2p" (DaemonSet, Job),
/// "db-0" (StatefulSet), "nightly-28934480-7qwxz" (CronJob) and "train-3-5zgmc" (Indexed Job). Empty where the name is only the
/// pod's own. A Job whose own name ends with a number cannot be told from an Indexed one. Kubernetes draws suffixes from letters and digits that form no words (k8s.io/apimachinery/pkg/util/rand); if a person gives a
/// pod such a name, it is taken for a controller's.
[[nodiscard]] std::string_view controller_of(std::string_view pod);

}  // namespace flowtap::telemetry
