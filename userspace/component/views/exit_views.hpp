// What a node shows of how containers and systemd services ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowtap::api {

/// Who ended: either a container, which may be in a pod, or a service.
struct EndedInstance {
  std::string ns;    ///< empty: it is in no pod
  std::string pod;   ///< alike
  std::string id;    ///< the container's, whole; empty for a service
  std::string unit;  ///< the service's name; empty for a container
  bool operator==(const EndedInstance&) const = default;
};

/// The last end. It has either a code or a signal, unless its program was never started.
struct ContainerExit {
  std::string container;  ///< empty for a service
  std::string flow;       ///< the id of the flow that has its output
  std::chrono::system_clock::time_point time;
  std::optional<unsigned> code;    ///< what it ended with
  std::optional<unsigned> signal;  ///< what it was killed by
  bool oom = false;                ///< the kernel chose it to be killed because memory was short
  bool started =
      true;  ///< false: what its runtime had prepared ended before it executed the container's program
  bool success = false;      ///< of a service: it ended well, whatever the code or signal is
  std::string process = {};  ///< the kernel's short name of the process that ended
  EndedInstance of = {};
  bool operator==(const ContainerExit&) const = default;
};

/// Other processes that the kernel killed for want of memory.
struct ContainerKills {
  std::string container;
  std::string flow;
  std::chrono::system_clock::time_point time;  ///< of the last one
  std::uint64_t count = 0;
  std::string process = {};  ///< the last one's short name
  EndedInstance of = {};
  bool operator==(const ContainerKills&) const = default;
};

/// Each container or service has at most one of both.
struct Exits {
  std::vector<ContainerExit> exits;
  std::vector<ContainerKills> oom_kills;
  bool operator==(const Exits&) const = default;
};

}  // namespace flowtap::api
