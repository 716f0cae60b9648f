// What a node shows of how containers ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace flowtap::api {

/// The last end of a pod's container. It has either a code or a signal.
struct ContainerExit {
  std::string container;
  std::string flow;  ///< the id of the flow that has its output
  std::chrono::system_clock::time_point time;
  std::optional<unsigned> code;    ///< what it ended with
  std::optional<unsigned> signal;  ///< what it was killed by
  bool oom = false;                ///< the kernel chose it to be killed because memory was short
  bool operator==(const ContainerExit&) const = default;
};

}  // namespace flowtap::api
