// What the files of a workload's cgroups tell, as series.
#pragma once

#include <vector>

#include "stats/snapshot.hpp"
#include "telemetry/workloads/files/cgroup_values.hpp"

namespace flowtap::telemetry {

/// One series for each value that is there, of what it did on block devices one for each of them; `labels` are
/// WorkloadName::labels().
void append_series(const CgroupValues& values, const NamedIo& io, const stats::Labels& labels,
                   std::vector<stats::Series>& out);

}  // namespace flowtap::telemetry
