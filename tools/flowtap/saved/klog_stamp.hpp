// The time in a record's header, for records that are put together here.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace flowtap::cli {

/// "1126 10:00:00.100001", as klog writes it, in UTC. `time` in ns since 1970; 0: a time that nobody may use.
[[nodiscard]] inline std::string klog_stamp(std::uint64_t time) {
  if (time == 0) return "0101 00:00:00.000000";
  const std::chrono::sys_time<std::chrono::microseconds> at(
      std::chrono::microseconds(static_cast<std::int64_t>(time / 1000)));
  const auto second = std::chrono::floor<std::chrono::seconds>(at);
  return fmt::format("{:%m%d %H:%M:%S}.{:06}", second, (at - second).count());
}

}  // namespace flowtap::cli
