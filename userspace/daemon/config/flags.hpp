// The command line of flowtapd.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "daemon/config/config.hpp"

namespace flowtap {

enum class Action : std::uint8_t {
  kRun,
  kCheckConfig,  ///< say that the configuration is right; a wrong one was an error already
  kPrintConfig,  ///< render_config(config)
  kVersion,
  kDetach,  ///< remove everything pinned and exit
  kHelp,    ///< flags_help()
};

/// What the command line asks for, with the file it names already read.
struct Invocation {
  Config config;            ///< defaults, then the file, then the flags
  std::string config_path;  ///< empty without --config
  Action action = Action::kRun;
};

/// Reads the command line and the file that it names. Every error is one sentence and stands for exit
/// status 2. Called again with the same arguments it reads a changed file (SIGHUP).
[[nodiscard]] Result<Invocation> parse_flags(int argc, const char* const* argv);

/// The text of --help.
[[nodiscard]] std::string flags_help();

}  // namespace flowtap
