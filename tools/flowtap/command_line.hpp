// The words after "flowtap": which are accepted, and the errors for all others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "exit_code.hpp"
#include "flows.hpp"
#include "status.hpp"
#include "tools/flowtap/logs/logs.hpp"
#include "tools/flowtap/logs/tap.hpp"
#include "tools/flowtap/top/top.hpp"
#include "tools/flowtap/why/why.hpp"

namespace flowtap::cli {

using Command = std::variant<StatusOptions, TopOptions, FlowsOptions, LogsOptions, TapOptions, WhyOptions>;

/// The command that is asked for, or an exit code if everything has been said already (--help, --version, an error).
[[nodiscard]] std::variant<Command, ExitCode> parse_command_line(int argc, const char* const* argv);

}  // namespace flowtap::cli
