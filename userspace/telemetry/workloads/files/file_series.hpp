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

/// A series of 0 for each limit that the kernel says does not exist, and for a memory reservation that does not exist,
/// because other exporters show them so.
void append_unset(const CgroupValues& values, const stats::Labels& labels, std::vector<stats::Series>& out);

}  // namespace flowtap::telemetry
