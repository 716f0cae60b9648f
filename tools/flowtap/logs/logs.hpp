// flowtap logs: the lines of a pod's container, or of any flow.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "line_cutter.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/exit_code.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// It has many members, one for each flag.
struct LogsOptions {
  std::string state_dir;
  std::string of;         ///< NS/POD, a flow's id, or the name of a container that is in no pod, or of a unit
  std::string group;      ///< instead of `of`: all pods of a group
  std::string ns = {};    ///< of the group's pods; empty: any
  std::string container;  ///< empty: the pod's only one
  bool all_containers = false;  ///< of the pod
  bool follow = false;
  bool timestamps = false;
  bool previous = false;
  std::string stream;                      ///< stdout or stderr; empty: both
  std::optional<std::uint64_t> tail = {};  ///< lines
  std::optional<std::chrono::system_clock::time_point> since_time = {};
  std::optional<std::uint64_t> limit_bytes = {};  ///< of output
  bool json = false;                              ///< an object per line
  bool otel = false;                              ///< the same, as log records of OpenTelemetry
  Color color = Color::kAuto;
};

/// Whether this is the id of a flow, and not NS/POD.
[[nodiscard]] bool is_flow(std::string_view of);
/// Whether this is neither, but may be the name of a container that is in no pod, or of a unit.
[[nodiscard]] bool is_name(std::string_view of);

/// The target to request; an Error: this is neither a pod nor a flow.
[[nodiscard]] Result<std::string> logs_target(const LogsOptions& options);
/// The same for one flow.
[[nodiscard]] std::string flow_log_target(const LogsOptions& options, std::string_view flow);
/// The target that lists the flows of a group or a pod; it has at least one parameter. An Error: this is not a pod.
[[nodiscard]] Result<std::string> list_target(const LogsOptions& options);

/// Tells who typed `-n 5` for five lines what to type instead, where nothing was found in a namespace of that name.
[[nodiscard]] Failure with_lines_hint(Failure failure, const LogsOptions& options);

/// Turns lines with their time in front, which come in pieces, into objects: {"time":"...","text":"..."}.
class JsonLines {
 public:
  [[nodiscard]] std::string take(std::string_view piece);
  /// The last line, if its newline has not come.
  [[nodiscard]] std::string finish();

 private:
  LineCutter lines_;
};

/// Writes the lines to standard output; with `follow`, also lines that come later, until the container ends or a signal
/// ends us.
[[nodiscard]] ExitCode run_logs(const LogsOptions& options);

}  // namespace flowtap::cli
