// Each thread of a chain makes the next one and ends: none of them has run before.
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

namespace flowtap::test {

/// This avoids all the other things that pthread_create() does: threads that wait for each other's locks leave a CPU
/// free.
class Chain {
 public:
  Chain() { make_next(); }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain() {
    stop_ = true;
    while (!ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the last thread is still on its stack
  }

  /// How many threads there were.
  [[nodiscard]] unsigned long links() const { return links_; }

 private:
  // A thread is on its stack until it has ended, some links later.
  static constexpr std::size_t kStacks = 256;
  using Stack = std::array<std::byte, 4096>;

  static int link(void* chain) {
    auto* self = static_cast<Chain*>(chain);
    if (self->stop_)
      self->ended_ = true;
    else
      self->make_next();
    return 0;
  }
  void make_next() {
    Stack& stack = (*stacks_)[++links_ % kStacks];
    if (::clone(link, stack.data() + stack.size(),
                CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, this) < 0)
      ended_ = true;
  }

  std::unique_ptr<std::array<Stack, kStacks>> stacks_ = std::make_unique<std::array<Stack, kStacks>>();
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<unsigned long> links_ = 0;
};

}  // namespace flowtap::test
