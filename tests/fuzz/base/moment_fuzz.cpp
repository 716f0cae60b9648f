// Any bytes as a duration and as a moment: no error of arithmetic, and a moment that comes back when it is written out.
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/rfc3339.hpp"
#include "base/time/duration.hpp"
#include "base/time/moment.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using flowtap::fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto now = std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000));
  const auto duration = flowtap::parse_duration(text);
  require(!duration || duration->count() >= 0);
  const auto moment = flowtap::parse_moment(text, now);
  require(moment || !moment.error().hint.empty());
  require(!duration || size > 64 || (moment && *moment <= now));
  if (moment) require(flowtap::parse_rfc3339(flowtap::rfc3339_nano(*moment)) == *moment);
  return 0;
}
