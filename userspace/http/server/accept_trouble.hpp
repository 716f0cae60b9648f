// Why those who wait at a door are not let in.
#pragma once

#include <atomic>
#include <cerrno>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::http {

/// Written by the server's thread, read by any.
class AcceptTrouble {
 public:
  /// accept(2) has failed. Only what is used up lasts; a client that has gone again is none.
  void failed(int error) noexcept {
    if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS)
      error_.store(error, std::memory_order_relaxed);
  }
  void let_in() noexcept { error_.store(0, std::memory_order_relaxed); }

  /// An Error: the last one who came waits still.
  [[nodiscard]] Status now() const {
    const int error = error_.load(std::memory_order_relaxed);
    if (error == 0) return {};
    return fail_errno(error, "no client can be let in");
  }

 private:
  std::atomic<int> error_{0};
};

}  // namespace flowtap::http
