// Any bytes as /proc/stat: CPU time that is understood adds up without an overflow, and does not change with what follows the
// first line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "telemetry/energy/cpu_time.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto time = flowtap::telemetry::parse_cpu_time(text);
  if (!time) return 0;
  constexpr std::uint64_t kTick = 10'000'000;
  if (time->busy % kTick != 0 || time->idle % kTick != 0 || time->busy + time->idle < time->busy)
    std::abort();
  const std::string first(text.substr(0, text.find('\n')));
  if (flowtap::telemetry::parse_cpu_time(first) != time) std::abort();
  return 0;
}
