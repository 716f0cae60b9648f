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
  // The following apply only to pods.
  bool containers = false;   ///< a line for each container
  bool ended = false;        ///< also what has ended
  std::string ns = {};       ///< only this namespace; empty: all
  std::string sort = "cpu";  ///< the word of a column, see pod_columns()
};

[[nodiscard]] ExitCode run_top(const TopOptions& options);

}  // namespace flowtap::cli
