// systemd's readiness protocol; does nothing if nobody listens (sd_notify(3)).
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace flowtap {

/// `status` is the sentence that systemctl status shows.
void notify_ready(const std::string& status);
void notify_reloading();
void notify_stopping();
void notify_watchdog();

/// The period in which notify_watchdog() must be called: half of what systemd allows. Absent without a watchdog.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_period();

}  // namespace flowtap
