// How a container is called where its whole id would be too long.
#pragma once

#include <cstddef>

namespace flowtap {

/// So many characters of a container's id are shown by the runtimes' own tools, and name a container without a name.
inline constexpr std::size_t kShortId = 12;

}  // namespace flowtap
