// Which privileges stay once everything is started.
#pragma once

#include <string>

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace flowtap {

/// Drops every capability but those that the enabled parts still need (the table is in the .cpp), for all
/// threads made from here on and for good: call it before the first thread. Nothing happens without
/// capabilities to drop.
[[nodiscard]] Status drop_privileges(const Config& config);

}  // namespace flowtap
