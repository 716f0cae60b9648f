// How an Error is logged, and what is mended.
#pragma once

#include "base/result.hpp"

namespace flowtap {

/// Logs the sentence, and its hint on a line of its own.
void log_error(const Error& error);

/// Logs one sentence about something that was wrong and is mended, or that works less well than it could.
void log_warning(const std::string& sentence);

}  // namespace flowtap
