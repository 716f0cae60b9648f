// The loader of scheds/fifo.
#pragma once

#include "scheds/lib/scheduler.hpp"

namespace flowtap::scheds {

/// The fifo scheduler runs the machine's tasks when this returns.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> start_fifo(const StartOptions& options);

}  // namespace flowtap::scheds
