// flowtap logs: the lines of a pod's container, or of any flow.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "exit_code.hpp"

namespace flowtap::cli {

struct LogsOptions {
  std::string state_dir;
  std::string of;         ///< NS/POD, or a flow's id
  std::string container;  ///< empty: the pod's only one
  bool follow = false;
  bool timestamps = false;
  bool previous = false;
  std::string stream;                       ///< stdout or stderr; empty: both
  std::optional<std::uint64_t> tail = {};   ///< lines
  std::optional<std::uint64_t> since = {};  ///< seconds
  bool json = false;                        ///< an object per line
};

/// What is asked of the API; an Error: this is neither a pod nor a flow.
[[nodiscard]] Result<std::string> logs_target(const LogsOptions& options);

/// Lines with their time in front, which come in pieces, as objects: {"time":"...","text":"..."}.
class JsonLines {
 public:
  [[nodiscard]] std::string take(std::string_view piece);
  /// The last line, if its newline has not come.
  [[nodiscard]] std::string finish();

 private:
  std::string rest_;
};

/// Writes the lines to standard output, and with `follow` what comes, until the container ends or a signal ends us.
[[nodiscard]] ExitCode run_logs(const LogsOptions& options);

}  // namespace flowtap::cli
