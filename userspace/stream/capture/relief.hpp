// An upgrade while the node runs: what a build with another layout captures is drained into the journal, and its streams go on
// here.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/log/log_programs.hpp"
#include "stream/journal/consumer/namer.hpp"
#include "stream/journal/journal.hpp"

namespace flowtap {

/// Does nothing if there is no such build. It takes as long as draining that build's ring does: less than a second as a rule, and as
/// long as the lines' thread takes for it if that has more than the journal can keep. If the process dies meanwhile, the next one's
/// call goes on with what is left.
/// @return  what a person should know: the streams that could not be continued
[[nodiscard]] Result<std::vector<std::string>> relieve_older(kernel::LogLive& live, flow::Journal& journal,
                                                             flow::Namer& namer);

}  // namespace flowtap
