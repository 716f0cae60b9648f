// One process of a container, and what it tells of the whole: when it started, and which network it is in.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.hpp"

namespace flowtap::telemetry {

/// A network namespace, as long as anybody has a file of it open: its /proc/PID/net/dev, which each namespace has one of.
using NetworkId = std::pair<dev_t, ino_t>;

struct FirstProcess {
  std::uint64_t pid = 0;
  std::optional<double> started;     ///< seconds since 1970, by the clocks of when it was looked at
  std::optional<NetworkId> network;  ///< absent: it cannot be told
  Fd net_dev;                        ///< of that network, which stays while this is open
  int error = 0;  ///< why that could not be opened, where it is not that the process has ended
};

/// `proc` is the node's procfs. What is not there, as the process has ended meanwhile, is absent.
[[nodiscard]] FirstProcess look_at_process(const std::string& proc, std::uint64_t pid);

/// In which network it is by now; after an error the one that was known.
void look_at_network(const std::string& proc, FirstProcess& process);

/// Of an open net_dev a descriptor that keeps its NetworkId from being another's, and not the network. Not valid: for want of
/// descriptors.
[[nodiscard]] Fd keep_number(const Fd& net_dev);
/// Whether the network whose number is kept has.
[[nodiscard]] bool has_ended(const Fd& number);

/// When a process started, in ticks since the machine did: the 22nd field of /proc/PID/stat (proc_pid_stat(5)). Absent where
/// the text is no such file's.
[[nodiscard]] std::optional<std::uint64_t> start_ticks(std::string_view stat);

}  // namespace flowtap::telemetry
