// flowtap top: how tasks get their CPUs, or what pods use, now.
#pragma once

#include <string>

#include "tools/flowtap/exit_code.hpp"
#include "top_loop.hpp"

namespace flowtap::cli {

struct TopOptions {
  std::string state_dir;
  TopRun run = {};
  bool pods = false;
  // Of pods alone.
  bool containers = false;   ///< a line for each container
  std::string ns = {};       ///< of this namespace alone; empty: all
  std::string sort = "cpu";  ///< a word of pod_columns()
};

[[nodiscard]] ExitCode run_top(const TopOptions& options);

}  // namespace flowtap::cli
