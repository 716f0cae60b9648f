// One process of a container, and what it tells about the whole: when it started, and which network it is in.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.hpp"

namespace flowtap::telemetry {

/// A network namespace, which lives as long as somebody has one of its files open. The file is /proc/PID/net/dev; each
/// namespace has its own.
using NetworkId = std::pair<dev_t, ino_t>;

struct FirstProcess {
  std::uint64_t pid = 0;
  std::optional<double> started;     ///< seconds since 1970, by the clocks at the time of the look
  std::optional<NetworkId> network;  ///< absent: it cannot be told
  Fd net_dev;                        ///< the file of that network, which stays while this is open
  int error = 0;                     ///< why that could not be opened, unless the process has ended
};

/// `proc` is the node's procfs. Values are absent if the process has ended meanwhile.
[[nodiscard]] FirstProcess look_at_process(const std::string& proc, std::uint64_t pid);

/// Finds the network that it is in by now; after an error the known one stays.
void look_at_network(const std::string& proc, FirstProcess& process);

/// A descriptor, made from an open net_dev, that keeps another network from getting its NetworkId but does not keep the
/// network. Not valid: there was no descriptor left.
[[nodiscard]] Fd keep_number(const Fd& net_dev);
/// Whether the network whose number is kept has ended.
[[nodiscard]] bool has_ended(const Fd& number);

/// When a process started, in ticks since the machine did: the 22nd field of /proc/PID/stat (proc_pid_stat(5)). Absent
/// where the text is not from such a file.
[[nodiscard]] std::optional<std::uint64_t> start_ticks(std::string_view stat);

}  // namespace flowtap::telemetry
