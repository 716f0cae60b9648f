// How a container is called where its whole id would be too long.
#pragma once

#include <cstddef>

namespace flowtap {

/// The runtimes' own tools show this many characters of a container's id. flowtap also uses them to name a container
/// that has no name.
inline constexpr std::size_t kShortId = 12;

}  // namespace flowtap
