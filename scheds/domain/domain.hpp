// The loader of scheds/domain, and its load balancer.
#pragma once

#include "scheds/lib/scheduler.hpp"

namespace flowtap::scheds {

/// The machine's tasks are scheduled by domain when this returns.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> start_domain(const StartOptions& options);

}  // namespace flowtap::scheds
