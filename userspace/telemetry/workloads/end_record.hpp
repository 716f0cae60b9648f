// What is remembered of how a container or service ended, and as what it is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// The last end, and the kills in the run that ended last or in the one since then. Both belong to an instance: a
/// container with its own id and flow.
struct EndRecord {
  using Time = std::chrono::system_clock::time_point;

  struct End {
    std::string id;        ///< the container's, whole; empty for a service
    std::string flow;      ///< of its output
    int status = 0;        ///< as wait(2) has it
    bool oom = false;      ///< the kernel chose to kill it because memory was short
    bool started = true;   ///< false: it never executed its program, so the status is not its own
    bool success = false;  ///< of a service: it ended well, whatever the status is
    Time time;
    std::string process;  ///< the kernel's short name of the process that ended
    bool operator==(const End&) const = default;
  };
  struct Kills {
    std::string id;
    std::string flow;
    std::uint64_t count = 0;
    Time time;            ///< of the last one
    std::string process;  ///< the last one's
    bool operator==(const Kills&) const = default;
  };

  WorkloadName name;
  std::optional<End> end;
  std::optional<Kills> oom_kills;

  [[nodiscard]] bool tells() const { return end || oom_kills; }
  bool operator==(const EndRecord&) const = default;
};

/// A line that is longer is none.
inline constexpr std::size_t kLongestEndLine = std::size_t{4} << 10U;

/// One line of printable ASCII, with its newline: words KEY=VALUE with values in percent encoding. Empty: it would be
/// longer than kLongestEndLine.
[[nodiscard]] std::string to_line(const EndRecord& record);

/// `line` is without its newline. Absent: it is no such line, or has a value that cannot be. Unknown keys are ignored.
[[nodiscard]] std::optional<EndRecord> parse_end_line(std::string_view line);

}  // namespace flowtap::telemetry
