// The sched_ext scheduler that runs now, whoever wrote it.
#pragma once

#include <string>

namespace flowtap::kernel {

/// Its name from <sysfs>/kernel/sched_ext/root/ops, with what no label may hold replaced by '_'; empty where
/// none runs, or the kernel has no sched_ext.
[[nodiscard]] std::string sched_ext_scheduler(const std::string& sysfs);

}  // namespace flowtap::kernel
