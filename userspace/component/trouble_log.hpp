// When a trouble is worth another line of the log.
#pragma once

#include <chrono>
#include <string>

#include "base/result.hpp"

namespace flowtap {

/// One kind of trouble: it is logged when it comes, however long it lasts. One that goes and comes again is logged once in a while.
class TroubleLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes kPause{10};

  /// Whether `status` is to be logged. Call it at each look, also while there is no trouble.
  [[nodiscard]] bool is_news(const Status& status, Clock::time_point now) {
    const bool lasts = lasts_;
    lasts_ = !status;
    if (status || (status.error().what == told_ && (lasts || now < next_))) return false;
    told_ = status.error().what;
    next_ = now + kPause;
    return true;
  }

 private:
  std::string told_;
  Clock::time_point next_;
  bool lasts_ = false;
};

}  // namespace flowtap
