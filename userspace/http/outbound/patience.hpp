// How long one step of a request may take.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>

#include "base/result.hpp"
#include "base/time/duration.hpp"
#include "http/connection/connection.hpp"

namespace flowtap::http {

/// A limit on several steps together, and one on each of them.
struct Patience {
  using Clock = std::chrono::steady_clock;

  Clock::time_point end = Clock::time_point::max();  ///< of all steps
  std::chrono::milliseconds whole{0};                ///< how long that was, for errors
  std::chrono::milliseconds silence{0};              ///< for one step; 0: no limit

  [[nodiscard]] static Patience from_now(std::chrono::milliseconds whole, std::chrono::milliseconds silence) {
    return {Clock::now() + whole, whole, silence};
  }

  [[nodiscard]] bool is_over() const { return Clock::now() >= end; }
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::max(std::chrono::milliseconds(0),
                    std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
  }

  /// For the next read or write, or for a handshake.
  void arm(Connection& connection) const {
    const bool has_end = end != Clock::time_point::max();
    if (!has_end && silence.count() == 0) return connection.expires_never();
    const auto most = silence.count() == 0 ? std::chrono::milliseconds::max() : silence;
    connection.expires_after(has_end ? std::min(most, left()) : most);
  }

  /// After a step that took too long: "WHAT within 3s" where the end of all steps has come, and otherwise that nothing came for so long.
  [[nodiscard]] Error error(std::string what) const {
    if (is_over()) return {std::move(what) + " within " + format_duration(whole), {}, ETIMEDOUT};
    return {"it neither sent nor took anything for " + format_duration(silence), {}, ETIMEDOUT};
  }
};

}  // namespace flowtap::http
