// Who belongs to listed processes, as far as the programs cannot see it: what began before them, ends that they missed.
#pragma once

#include <string>

#include "kernel/log/log_streams.hpp"

namespace flowtap {

/// What the members of runs have started belongs to these runs, too. `proc` is the node's procfs, with a slash at its end.
void join_children(kernel::LogStreams& streams, const std::string& proc);

/// Removes the members that have ended without being seen. As long as one is left of a run, no other has its place.
void drop_ended(kernel::LogStreams& streams, const std::string& proc);

}  // namespace flowtap
