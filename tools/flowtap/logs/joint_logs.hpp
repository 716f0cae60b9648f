// flowtap logs for several containers at a time: those of a group, or all of a pod. There is one request for each log,
// and one that follows the list of flows to find those that join later.
#pragma once

#include "logs.hpp"
#include "tools/flowtap/exit_code.hpp"

namespace flowtap::cli {

/// With `follow`, writes each line as it comes, until a signal ends us; otherwise writes all lines that there are,
/// sorted by time.
[[nodiscard]] ExitCode run_joint_logs(const LogsOptions& options);

}  // namespace flowtap::cli
