// An eventfd: lets one thread wake another that waits in poll(2) or epoll(7).
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// Safe from any thread. It is readable from the first tell() on until take().
class EventFd {
 public:
  /// Neither readable nor valid.
  EventFd() = default;
  [[nodiscard]] static Result<EventFd> create() {
    Fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd.valid()) return fail_errno(errno, "cannot make an eventfd");
    return EventFd(std::move(fd));
  }

  [[nodiscard]] int get() const { return fd_.get(); }
  [[nodiscard]] bool valid() const { return fd_.valid(); }

  /// Does nothing without a descriptor. The kernel refuses such a write only where almost 2^64 came before it.
  void tell() const {
    const std::uint64_t one = 1;
    if (fd_.valid()) static_cast<void>(!::write(fd_.get(), &one, sizeof(one)));
  }
  void take() const {
    std::uint64_t told = 0;
    if (fd_.valid()) static_cast<void>(!::read(fd_.get(), &told, sizeof(told)));
  }

 private:
  explicit EventFd(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

}  // namespace flowtap
