// What flowtapd's commands ask of the stream path without starting it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

/// What `--check-config` says of these options, a line each: the sizes that are auto, how much memory that is too much, and
/// patterns and settings that can have nothing. Limits are those of this process; the service may run below others.
[[nodiscard]] std::vector<std::string> check(const StreamOptions& options, const std::string& host_root);

/// Removes what an earlier flowtapd has left pinned. No flowtapd may run. It holds the programs as well, so they would stay
/// attached, and it would not know that the next flowtapd does not take them over. Returns what `--detach` says of it, a line
/// each: where it has looked, and how many bytes of records no flowtapd had taken yet.
[[nodiscard]] Result<std::vector<std::string>> detach(const StreamOptions& options,
                                                      const std::string& host_root);

}  // namespace flowtap
