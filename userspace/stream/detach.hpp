// The end of capture beyond flowtapd's own: nothing of the log tap stays in the kernel.
#pragma once

#include <string>

#include "base/result.hpp"
#include "stream/stream_options.hpp"

namespace flowtap {

/// Removes what an earlier flowtapd has left pinned. No flowtapd may run. It holds the programs as well, so they would stay
/// attached, and it would not know that the next flowtapd does not take them over.
[[nodiscard]] Status detach(const StreamOptions& options, const std::string& host_root);

}  // namespace flowtap
