// What the API shows of how containers ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace flowtap::api {

/// The last end of a pod's container. It has either a code or a signal.
struct ContainerExit {
  std::string container;
  std::string flow;  ///< the id of the flow of what it wrote
  std::chrono::system_clock::time_point time;
  std::optional<unsigned> code;    ///< what it ended with
  std::optional<unsigned> signal;  ///< what it was killed by
  bool oom = false;                ///< the kernel had chosen it to be killed for want of memory
  bool operator==(const ContainerExit&) const = default;
};

}  // namespace flowtap::api
