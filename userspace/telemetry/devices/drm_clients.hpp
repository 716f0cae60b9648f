// Which processes have GPUs open that the kernel's DRM drives, and what the GPUs do for them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/drm_fdinfo.hpp"

namespace flowtap::telemetry {

/// Only debugfs in the kernel lists the clients of a GPU. It would be dear to look through all descriptors of all
/// processes in each round: 15 us for each on a slow virtual machine (30 ms for 147 processes with 1,786 descriptors).
/// So a round looks through kLinks, and a process that opens a GPU is found when its turn comes: within 10 s on a node
/// with 5,000 descriptors. What was found is read in each round. On a node without such GPUs nobody asks, and nothing
/// is looked at. Used by one thread.
class DrmClients {
 public:
  static constexpr std::size_t kLinks = 500;         ///< descriptors and processes looked at in a round
  static constexpr std::size_t kLinksOfOne = 2000;   ///< of one process; what it opens beyond is not seen
  static constexpr std::size_t kMostClients = 4096;  ///< descriptors of GPUs that are read in a round

  /// `proc`: a procfs of the node.
  explicit DrmClients(std::string proc) : proc_(std::move(proc)) {}

  /// The processes that have the device at this PCI address open. The first call for each `now` reads anew.
  [[nodiscard]] std::vector<DeviceProcess> of(const std::string& device, DeviceClock::time_point now,
                                              std::uint64_t& unread);

 private:
  using Descriptor = std::pair<pid_t, int>;
  struct Client {
    DrmClient last;
    DeviceClock::time_point at;
  };
  using ClientKey = std::pair<std::string, std::uint64_t>;  // device and id

  void look_further(std::uint64_t& unread);
  std::size_t look_at(const std::string& pid);
  void read_all(DeviceClock::time_point now);
  void take(pid_t pid, DrmClient client, DeviceClock::time_point now);

  std::string proc_;
  std::vector<std::string> pids_;  // still to be looked at, the last one first
  std::set<Descriptor> found_;
  std::map<ClientKey, Client> clients_;
  std::map<std::pair<std::string, pid_t>, DeviceProcess> processes_;  // of the round, by device
  DeviceClock::time_point round_{};
};

}  // namespace flowtap::telemetry
