// What the files of a workload's cgroups tell, as series.
#pragma once

#include <vector>

#include "stats/snapshot.hpp"
#include "telemetry/workloads/cgroup_values.hpp"

namespace flowtap::telemetry {

/// One series for each value that is there; `labels` are WorkloadName::labels().
void append_series(const CgroupValues& values, const stats::Labels& labels, std::vector<stats::Series>& out);

}  // namespace flowtap::telemetry
