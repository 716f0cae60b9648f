// A workload's devices by name. Whoever is in the workload may make any number of them, so the list is bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// A workload tells apart this many in its life; all that it uses beyond them is one, kOtherDevices.
inline constexpr std::size_t kMostDevices = 64;
inline constexpr std::string_view kOtherDevices = "other";

/// The place of `device` in a map by name; it is inserted if it is missing. A device that came too late stays among the
/// others, so that no sum falls.
template <typename Map>
typename Map::iterator place_of_device(Map& all, const std::string& device) {
  if (const auto known = all.find(device); known != all.end()) return known;
  return all.try_emplace(all.size() < kMostDevices ? device : std::string(kOtherDevices)).first;
}

}  // namespace flowtap::telemetry
