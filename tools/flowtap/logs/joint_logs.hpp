// flowtap logs of several containers at a time: a group's, or all of a pod's. One request for each log; what joins later
// is told by a request that follows the list of flows.
#pragma once

#include "logs.hpp"
#include "tools/flowtap/exit_code.hpp"

namespace flowtap::cli {

/// With `follow` each line as it comes, until a signal ends us; otherwise what there is, in the order of time.
[[nodiscard]] ExitCode run_joint_logs(const LogsOptions& options);

}  // namespace flowtap::cli
