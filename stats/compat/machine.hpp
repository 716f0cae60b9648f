// cAdvisor's counts of the machine's processors.
#pragma once

#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// machine_cpu_cores (logical CPUs), machine_cpu_physical_cores and machine_cpu_sockets, with the labels `machine`. Of
/// CPUs whose place the kernel does not tell, only the first is there.
void append_machine(const Snapshot& snapshot, const LabelPairs& machine, std::vector<Family>& out);

}  // namespace flowtap::stats::compat
