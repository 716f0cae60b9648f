// flowtap tap: what is written where a running process writes, from now.
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
  bool json = false;  ///< an object per line, of both on our standard output
};

/// Writes what the process writes to its standard output and error to our own, until it ends both, or a signal
/// ends us. Raw, but escaped where ours is a terminal; or as objects, as of `flowtap logs`.
[[nodiscard]] ExitCode run_tap(const TapOptions& options);

}  // namespace flowtap::cli
