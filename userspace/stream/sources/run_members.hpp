// Who belongs to listed processes, where the programs cannot see it: what began before them, and ends that they missed.
#pragma once

#include <string>

#include "kernel/log/log_streams.hpp"

namespace flowtap {

/// Makes what the members of runs have started belong to these runs, too. `proc` is the node's procfs, with a slash at its end.
void join_children(kernel::LogStreams& streams, const std::string& proc);

/// Removes the members that have ended without being seen. As long as one member of a run is left, no other run has its place.
void drop_ended(kernel::LogStreams& streams, const std::string& proc);

}  // namespace flowtap
