// flowtap why: explains why a pod was placed where it is, or nowhere, also from saved logs; and how containers and
// services ended.
#pragma once

#include <string>
#include <vector>

#include "tools/flowtap/exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct WhyOptions {
  std::string state_dir;
  std::string of;       ///< NS/POD, or the name of what is in no pod; empty: all pods, one line each
  std::string ns = {};  ///< of the pods that are listed; empty: any
  std::vector<std::string> from;  ///< files to read instead of asking the daemon; "-" is standard input
  bool watch =
      false;          ///< show a pod again whenever its answer changes, until it is bound or a signal ends us
  bool json = false;  ///< print the answer's body; for all pods, a list of bodies
  bool evidence =
      false;  ///< add the lines that support the answer; in JSON, also the attempts, which text always has
  Color color = Color::kAuto;
};

/// What is wrong with a combination of flags; empty: nothing.
[[nodiscard]] std::string wrong_why(const WhyOptions& options);

[[nodiscard]] ExitCode run_why(const WhyOptions& asked);

}  // namespace flowtap::cli
