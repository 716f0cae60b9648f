// Devices of a workload by name, of which whoever is in it may make as many as they like.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// So many a workload tells apart in its life; all that it uses beyond them is one, kOtherDevices.
inline constexpr std::size_t kMostDevices = 64;
inline constexpr std::string_view kOtherDevices = "other";

/// Where in a map by name `device` is, or is put. One that came too late stays among the others, so that no sum falls.
template <typename Map>
typename Map::iterator place_of_device(Map& all, const std::string& device) {
  if (const auto known = all.find(device); known != all.end()) return known;
  return all.try_emplace(all.size() < kMostDevices ? device : std::string(kOtherDevices)).first;
}

}  // namespace flowtap::telemetry
