// flowtap logs: the lines of a pod's container, or of any flow.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "line_cutter.hpp"
#include "tools/flowtap/exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct LogsOptions {
  std::string state_dir;
  std::string of;               ///< NS/POD, or a flow's id
  std::string group;            ///< in place of it: all pods of a group
  std::string container;        ///< empty: the pod's only one
  bool all_containers = false;  ///< of the pod
  bool follow = false;
  bool timestamps = false;
  bool previous = false;
  std::string stream;                                                    ///< stdout or stderr; empty: both
  std::optional<std::uint64_t> tail = {};                                ///< lines
  std::optional<std::uint64_t> since = {};                               ///< seconds
  std::optional<std::chrono::system_clock::time_point> since_time = {};  ///< in place of them
  bool json = false;                                                     ///< an object per line
  bool otel = false;  ///< the same, as OpenTelemetry has log records
  Color color = Color::kAuto;
};

/// Whether these words are a flow's id, and not NS/POD.
[[nodiscard]] bool is_flow(std::string_view of);

/// What is asked of the API; an Error: this is neither a pod nor a flow.
[[nodiscard]] Result<std::string> logs_target(const LogsOptions& options);
/// The same of one flow.
[[nodiscard]] std::string flow_log_target(const LogsOptions& options, std::string_view flow);
/// The list of a group's or a pod's flows, with one parameter at least. An Error: this is no pod.
[[nodiscard]] Result<std::string> list_target(const LogsOptions& options);

/// Lines with their time in front, which come in pieces, as objects: {"time":"...","text":"..."}.
class JsonLines {
 public:
  [[nodiscard]] std::string take(std::string_view piece);
  /// The last line, if its newline has not come.
  [[nodiscard]] std::string finish();

 private:
  LineCutter lines_;
};

/// Writes the lines to standard output, and with `follow` what comes, until the container ends or a signal ends us.
[[nodiscard]] ExitCode run_logs(const LogsOptions& options);

}  // namespace flowtap::cli
