// flowtapd's own messages: on stderr, one line each, for people and the journal.
#pragma once

#include "base/result.hpp"
#include "daemon/config/config.hpp"

namespace flowtap {

/// Call this once, before the first message.
void open_log(LogLevel level);
void set_log_level(LogLevel level);

/// Logs the sentence, and its hint on a line of its own.
void log_error(const Error& error);

}  // namespace flowtap
