// Limits how long one publish() waits for a receiver whose buffer is full.
#pragma once

#include <chrono>

namespace flowtap::stats {

/// One limit for all the waits of one publish() together.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds limit) : limit_(limit) {}

  /// The whole limit may be used again from here on.
  void renew() { left_ = limit_; }

  /// Waits until `fd` takes more. False when it did not before the limit was used up.
  [[nodiscard]] bool wait_for_room(int fd);

 private:
  std::chrono::milliseconds limit_;
  std::chrono::milliseconds left_{0};
};

}  // namespace flowtap::stats
