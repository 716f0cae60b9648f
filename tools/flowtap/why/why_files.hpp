// flowtap why --from: answers from saved logs, without a daemon.
#pragma once

#include "tools/flowtap/exit_code.hpp"
#include "why.hpp"

namespace flowtap::cli {

[[nodiscard]] ExitCode why_from_files(const WhyOptions& options);

}  // namespace flowtap::cli
