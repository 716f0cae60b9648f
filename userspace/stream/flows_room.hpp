// Memory for a start that would not get far enough to make room in the proper way.
#pragma once

#include <cstdint>
#include <string>

namespace flowtap {

/// Removes files of DIR/flows until this many bytes of memory are free: the logs of flows, the one that was written to longest ago
/// first, since their runtimes may have them; then the journal's oldest segments, but not the last one. The store and the journal
/// must not be open. Returns how many bytes it removed.
std::uint64_t remove_oldest_files(const std::string& flows, std::uint64_t bytes);

}  // namespace flowtap
