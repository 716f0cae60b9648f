// Label values of workload.def that mean something of their own.
#pragma once

#include <string_view>

namespace flowtap::stats {

/// `kind` of a cgroup around workloads (a pod's own, a slice, the root), whose path is in `workload`; only in
/// Snapshot::for_compat.
inline constexpr std::string_view kOuterKind = "cgroup";

}  // namespace flowtap::stats
