// flowtap status: what is up, what is missing, and what to do about it.
#pragma once

#include <string>

#include "component/views/views.hpp"
#include "exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct StatusOptions {
  std::string state_dir;
  bool json = false;
  Color color = Color::kAuto;
};

[[nodiscard]] ExitCode run_status(const StatusOptions& options);

/// The report as text; lines end in '\n'. Text from the daemon is shown escaped.
[[nodiscard]] std::string status_text(const api::StatusReport& report, const Style& style);

}  // namespace flowtap::cli
