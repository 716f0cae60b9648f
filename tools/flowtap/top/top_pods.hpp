// flowtap top --pods: what pods use now.
#pragma once

#include "top.hpp"

namespace flowtap::cli {

[[nodiscard]] ExitCode run_top_pods(const TopOptions& options);

}  // namespace flowtap::cli
