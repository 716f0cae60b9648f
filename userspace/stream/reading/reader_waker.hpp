// Tells followers that there is more, on one thread for all of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "base/threads/event_fd.hpp"
#include "stream/journal/follower.hpp"

namespace flowtap {

/// Waits on the eventfds of followers, so that the consumer never runs anything of theirs.
class ReaderWaker {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ReaderWaker>> start();
  ~ReaderWaker();
  ReaderWaker(const ReaderWaker&) = delete;
  ReaderWaker& operator=(const ReaderWaker&) = delete;

  using Clock = std::chrono::steady_clock;

  /// Calls `wake` once, on its own thread, when the follower is told of something, or at `latest`; soon if the follower has been
  /// told already.
  void once(const std::shared_ptr<flow::Follower>& follower, std::function<void()> wake,
            Clock::time_point latest = Clock::time_point::max());
  /// Calls `wake` once, on its own thread, when the process of this pidfd has ended.
  void once_ended(const Fd& process, std::function<void()> wake);
  /// Calls `wake` once, on its own thread, at `at` or a moment later. This replaces an earlier call for `who`.
  void later(const void* who, std::function<void()> wake, Clock::time_point at);
  /// No call will begin any more, and none is under way when this returns.
  void forget(const flow::Follower& follower);
  void forget_end(const Fd& process);
  void forget(const void* who);

  /// How often its thread has woken. It does not wake while nobody has to be told anything.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  struct Waiting {
    std::shared_ptr<flow::Follower> follower;  // null: a process
    std::function<void()> wake;
    Clock::time_point latest;
  };

  ReaderWaker(Fd epoll, EventFd stop, EventFd sooner)
      : epoll_(std::move(epoll)), stop_(std::move(stop)), sooner_(std::move(sooner)) {}
  void run() noexcept;
  void wait(int fd, Waiting waiting);
  void forget(int fd);
  void wake(int fd);
  void wake_late();
  void look_by(Clock::time_point at);
  [[nodiscard]] int patience();
  static void call(Waiting& waiting);

  Fd epoll_;
  EventFd stop_;
  EventFd sooner_;    // told when something is due earlier than the thread would wake
  std::mutex mutex_;  // held while a `wake` runs: forget() then waits for it
  std::unordered_map<int, Waiting> waiting_;
  struct Late {
    std::function<void()> wake;
    Clock::time_point at;
  };
  std::unordered_map<const void*, Late> late_;
  Clock::time_point next_look_ = Clock::time_point::max();  // nothing is due before this
  std::atomic<std::uint64_t> looks_ = 0;
  std::thread thread_;
};

}  // namespace flowtap
