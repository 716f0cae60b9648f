// Paths of the configuration at which something else stands than what they are for.
#pragma once

#include <string>
#include <vector>

#include "stream/stream_options.hpp"

namespace flowtap {

/// A sentence for each, in the order of the keys. What is not there yet may still become what is wanted, and is none. `host_root` is
/// where the node's file system is seen. A file system that does not answer keeps the caller waiting, so that the service must not
/// call it.
[[nodiscard]] std::vector<std::string> unfit_paths(const StreamOptions& options,
                                                   const std::string& host_root);

}  // namespace flowtap
