// The series that flowtapd reads of itself for each cycle.
#pragma once

#include <vector>

#include "component/views/views.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// Appends build info, components, programs, backends and read errors, as the status report has them.
void append_self_samples(std::vector<stats::Series>& out, const api::StatusReport& status);

}  // namespace flowtap
