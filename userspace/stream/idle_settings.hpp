// Settings of the stream path that have nothing to do, since others leave them nothing.
#pragma once

#include <string>
#include <vector>

#include "stream/stream_options.hpp"

namespace flowtap {

/// A sentence each, in the order of the configuration.
[[nodiscard]] std::vector<std::string> idle_settings(const StreamOptions& options);

}  // namespace flowtap
