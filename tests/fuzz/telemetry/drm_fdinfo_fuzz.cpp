// Any bytes as the fdinfo of a descriptor: a client within its bounds or none, the same each time. Lines of no GPU change
// nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "telemetry/devices/drm_fdinfo.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flowtap::telemetry;
  constexpr std::size_t kMostKinds = 32;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto client = parse_drm_fdinfo(text);
  const auto more = parse_drm_fdinfo("pos:\t0\nino:\t5\n" + text);
  if (client.has_value() != more.has_value()) std::abort();
  if (!client) return 0;
  if (client->driver.empty() || client->engines.size() > kMostKinds || client->memories.size() > kMostKinds)
    std::abort();
  if (client->engines != more->engines || client->memories != more->memories || client->id != more->id ||
      client->own_memory() != more->own_memory())
    std::abort();
  for (const auto& [kind, engine] : client->engines) {
    if (engine.capacity == 0) std::abort();
    for (const DrmEngine& before :
         {DrmEngine{}, engine, DrmEngine{.busy_ns = 0, .cycles = 0, .total_cycles = 0}}) {
      const auto ratio = engine_ratio(before, engine, size);
      if (ratio && !(*ratio >= 0 && *ratio <= 1)) std::abort();
    }
  }
  return 0;
}
