// Gives what a runtime has kept of a terminal as it was written there.
#pragma once

#include "stream/lines/carriage_returns.hpp"
#include "stream/repair/runtime_files/runtime_line.hpp"

namespace flowtap::flow {

/// The line discipline puts "\r" before each newline on its way to the runtime (ONLCR, termios(3)). The runtime may have read the
/// two apart.
using TerminalLines = CarriageReturns<RuntimeLine>;

}  // namespace flowtap::flow
