// What the files of a workload's cgroups tell, as series.
#pragma once

#include <vector>

#include "stats/snapshot.hpp"
#include "telemetry/workloads/files/cgroup_values.hpp"

namespace flowtap::telemetry {

/// One series for each value that exists; what was done on block devices gives one for each of them. `labels` are
/// WorkloadName::labels().
void append_series(const CgroupValues& values, const NamedIo& io, const stats::Labels& labels,
                   std::vector<stats::Series>& out);

/// A series of 0 for each limit, and for the reservation of memory, of which the kernel says that there is none: so other
/// exporters show them.
void append_unset(const CgroupValues& values, const stats::Labels& labels, std::vector<stats::Series>& out);

}  // namespace flowtap::telemetry
