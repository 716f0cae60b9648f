// Who belongs to listed processes that began before the programs could see what they start.
#pragma once

#include <string>

#include "kernel/log_streams.hpp"

namespace flowtap {

/// What the members of runs have started belongs to these runs, too. `proc` is the node's procfs, with a slash at its end.
void join_children(kernel::LogStreams& streams, const std::string& proc);

}  // namespace flowtap
