// How an Error is logged.
#pragma once

#include "base/result.hpp"

namespace flowtap {

/// Logs the sentence, and its hint on a line of its own.
void log_error(const Error& error);

}  // namespace flowtap
