#include "daemon/notify.hpp"

#include <systemd/sd-daemon.h>
#include <time.h>

#include <cstdint>

namespace flowtap {

void notify_ready(const std::string& status) {
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void notify_reloading() {
  // Type=notify-reload needs the time at which the reload began.
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us)).c_str());
}

void notify_stopping() {
  sd_notify(0, "STOPPING=1");
}
void notify_watchdog() {
  sd_notify(0, "WATCHDOG=1");
}

std::optional<std::chrono::microseconds> watchdog_period() {
  std::uint64_t us = 0;
  if (sd_watchdog_enabled(0, &us) <= 0) return std::nullopt;
  return std::chrono::microseconds(us / 2);
}

}  // namespace flowtap
