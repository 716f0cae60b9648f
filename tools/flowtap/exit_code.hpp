// What flowtap tells the shell.
#pragma once

namespace flowtap::cli {

enum ExitCode : int { kOk = 0, kFailure = 1, kUsage = 2, kNotFound = 3, kNoDaemon = 4 };

}  // namespace flowtap::cli
