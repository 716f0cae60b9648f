// Settings of the stream path that have nothing to do, since others leave them nothing.
#pragma once

#include <string>
#include <vector>

#include "stream/stream_options.hpp"

namespace flowtap {

/// A sentence each, in the order of the configuration. `host_root` is where the node's file system is seen.
[[nodiscard]] std::vector<std::string> idle_settings(const StreamOptions& options,
                                                     const std::string& host_root);

}  // namespace flowtap
