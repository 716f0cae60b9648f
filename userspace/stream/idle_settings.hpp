// Settings of the stream path that have nothing to do, since others leave them nothing.
#pragma once

#include <string>
#include <vector>

#include "stream/stream_options.hpp"

namespace flowtap {

/// A sentence each, in the order of the configuration.
[[nodiscard]] std::vector<std::string> idle_settings(const StreamOptions& options);

/// A sentence for each listed file that is a directory. `host_root` is where the node's file system is seen. A file system that
/// does not answer keeps the caller waiting, so that the service must not call it.
[[nodiscard]] std::vector<std::string> listed_directories(const StreamOptions& options,
                                                          const std::string& host_root);

}  // namespace flowtap
