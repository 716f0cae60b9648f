// The loader of scheds/domain, and its load balancer.
#pragma once

#include "scheds/lib/scheduler.hpp"

namespace flowtap::scheds {

/// The domain scheduler runs the machine's tasks when this returns.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> start_domain(const StartOptions& options);

}  // namespace flowtap::scheds
