#include "telemetry/devices/device_names.hpp"

#include <utility>

namespace flowtap::telemetry {

WorkloadName KnownProcesses::name(pid_t pid, DeviceClock::time_point now) {
  if (auto name = names_ ? names_->name(pid) : std::nullopt) {
    known_[pid] = {*name, now};
    return std::move(*name);
  }
  const auto at = known_.find(pid);
  return at != known_.end() && now - at->second.last <= kRemembered ? at->second.name : WorkloadName{};
}

void KnownProcesses::forget_old(DeviceClock::time_point now) {
  std::erase_if(known_, [&](const auto& entry) { return now - entry.second.last > kRemembered; });
}

}  // namespace flowtap::telemetry
