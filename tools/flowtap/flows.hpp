// flowtap flows: whose output is captured, how much of it, and what is missing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct FlowsOptions {
  std::string state_dir;
  bool json = false;
  Color color = Color::kAuto;
  // Empty: any.
  std::string ns = {};
  std::string pod = {};
  std::string group = {};
  std::string kind = {};
};

[[nodiscard]] ExitCode run_flows(const FlowsOptions& options);

/// The flows as a table; lines end in '\n'. Text from the daemon is shown escaped.
[[nodiscard]] std::string flows_text(const std::vector<api::FlowStatus>& flows,
                                     std::chrono::system_clock::time_point now, const Style& style);

}  // namespace flowtap::cli
