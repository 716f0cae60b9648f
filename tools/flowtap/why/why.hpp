// flowtap why: why a pod was placed where it is, or nowhere; of saved logs, too.
#pragma once

#include <string>
#include <vector>

#include "tools/flowtap/exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct WhyOptions {
  std::string state_dir;
  std::string of;                 ///< NS/POD; empty: all pods in a line each
  std::vector<std::string> from;  ///< files in place of the daemon; "-" is standard input
  bool watch = false;  ///< a pod again whenever its answer has changed, until it is bound or a signal ends us
  bool json = false;   ///< the answer's body; of all pods a list of them
  bool evidence =
      false;  ///< with the lines that it rests on; of JSON with which attempt it is, too, which text has anyway
  Color color = Color::kAuto;
};

/// What is wrong with words that are right one by one; empty: nothing.
[[nodiscard]] std::string wrong_why(const WhyOptions& options);

[[nodiscard]] ExitCode run_why(const WhyOptions& options);

}  // namespace flowtap::cli
