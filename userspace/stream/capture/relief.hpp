// An upgrade while the node runs: what another layout's build captures is drained into the journal, and its streams go
// on here.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/log/log_programs.hpp"
#include "stream/journal/consumer/namer.hpp"
#include "stream/journal/journal.hpp"

namespace flowtap {

/// Does nothing where there is no such build. Takes as long as its ring takes to be drained, at most some seconds. A
/// process that dies meanwhile leaves what the next one's call goes on with.
/// @return  what a person should know: streams that could not be gone on with
[[nodiscard]] Result<std::vector<std::string>> relieve_older(kernel::LogLive& live, flow::Journal& journal,
                                                             flow::Namer& namer);

}  // namespace flowtap
