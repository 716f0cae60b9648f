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

/// What the command line asks for; the file that it names has been read already.
struct Invocation {
  Config config;            ///< defaults, then the file, then the flags
  std::string config_path;  ///< empty without --config
  Action action = Action::kRun;
};

/// Reads the command line and the file that it names. Every error is one sentence and means exit status 2. SIGHUP calls
/// it again with the same arguments, to read a changed file.
[[nodiscard]] Result<Invocation> parse_flags(int argc, const char* const* argv);

/// The text of --help.
[[nodiscard]] std::string flags_help();

}  // namespace flowtap
