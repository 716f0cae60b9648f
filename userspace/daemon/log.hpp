// flowtapd's own messages: on stderr, one line each, for people and the journal.
#pragma once

#include "daemon/config/config.hpp"

namespace flowtap {

/// Call this once, before the first message.
void open_log(LogLevel level);
void set_log_level(LogLevel level);

}  // namespace flowtap
