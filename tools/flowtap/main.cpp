// flowtap: shows what the flowtapd of this machine counts, captures and explains.
#include "command_line.hpp"

namespace flowtap::cli {
namespace {

struct Run {
  ExitCode operator()(const StatusOptions& o) const { return run_status(o); }
  ExitCode operator()(const TopOptions& o) const { return run_top(o); }
  ExitCode operator()(const FlowsOptions& o) const { return run_flows(o); }
  ExitCode operator()(const LogsOptions& o) const { return run_logs(o); }
  ExitCode operator()(const TapOptions& o) const { return run_tap(o); }
  ExitCode operator()(const WhyOptions& o) const { return run_why(o); }
};

}  // namespace
}  // namespace flowtap::cli

int main(int argc, char** argv) {
  using namespace flowtap::cli;
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* exit = std::get_if<ExitCode>(&parsed)) return *exit;
  return std::visit(Run{}, std::get<Command>(parsed));
}
