// flowtap tap: follows what is written to the outputs of a running process, from now on.
#pragma once

#include <cstdint>
#include <string>

#include "tools/flowtap/exit_code.hpp"

namespace flowtap::cli {

struct TapOptions {
  std::string state_dir;
  std::uint32_t pid = 0;
  bool out = true;    ///< follow its standard output
  bool err = true;    ///< follow its standard error
  bool json = false;  ///< an object per line, for both on our standard output
};

/// Writes what the process writes to its standard output and error to our own, until it ends both, or a signal
/// ends us. The bytes are raw, but escaped if ours is a terminal; or objects, as from `flowtap logs`.
[[nodiscard]] ExitCode run_tap(const TapOptions& options);

}  // namespace flowtap::cli
