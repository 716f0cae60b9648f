// All our sched_ext schedulers by name.
#pragma once

#include "scheds/lib/scheduler.hpp"
#include "scheds/names.hpp"

namespace flowtap::scheds {

/// Loads the scheduler of this name, one of kSchedulerNames, and puts the machine's tasks under it. Fails with a
/// sentence and a hint: the kernel lacks something, another scheduler runs, privileges are missing, or there is no such
/// name.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> start_scheduler(std::string_view name,
                                                                 const StartOptions& options);

}  // namespace flowtap::scheds
