// Memory for a start that would not get far enough to make room in the proper way.
#pragma once

#include <cstdint>
#include <string>

namespace flowtap {

/// Removes the logs of flows from DIR/flows until this many bytes of memory are free, the one that was written to longest ago first:
/// their runtimes may have them. The journal's segments stay, since only the journal knows which streams' names stand in them. The
/// store must not be open. Returns how many bytes it removed.
std::uint64_t remove_oldest_logs(const std::string& flows, std::uint64_t bytes);

}  // namespace flowtap
