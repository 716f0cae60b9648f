// The stream path's first half as flowtapd has it: the log tap, its ring, the consumer on a thread of its own, and the
// journal in a tmpfs. Unlike there nothing is pinned, and the consumer can be made to stall.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "kernel/log/log_programs.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap::bench {

/// What became of the bytes of a stream.
struct Ledger {
  std::uint64_t captured = 0;  ///< in the journal
  std::uint64_t lost = 0;      ///< counted as lost, whatever the cause
};

class LogPath {
 public:
  /// Taps nothing yet. An Error with code EPERM: this kernel refuses the backend.
  [[nodiscard]] static Result<std::unique_ptr<LogPath>> start(kernel::LogBackend backend,
                                                              std::uint32_t ring_bytes = 64U << 20U);
  ~LogPath();
  LogPath(const LogPath&) = delete;
  LogPath& operator=(const LogPath&) = delete;

  /// What stands behind the descriptor, from now on.
  [[nodiscard]] Result<flow::StreamNo> tap(int fd, ftap_log_kind kind = FTAP_KIND_PIPE);

  /// Waits for the consumer to come to its end. That the stream's bytes are not `written`, or that captured and lost
  /// bytes do not add up to them, is an Error: nothing measured then is worth anything.
  [[nodiscard]] Result<Ledger> settle(flow::StreamNo stream, std::uint64_t written);

  /// What the consumer's thread has used so far.
  [[nodiscard]] double consumer_cpu_ns();

  /// From now on the consumer sleeps so long after each of its rounds.
  void stall_each(std::chrono::milliseconds pause) { each_ = pause; }
  /// It does so once, soon.
  void stall_once(std::chrono::milliseconds pause) { once_ = pause; }
  /// The most bytes that were found in the ring since this was asked.
  [[nodiscard]] std::uint64_t take_most_waiting() { return most_waiting_.exchange(0); }

  /// As long as it is held somebody follows.
  [[nodiscard]] Result<std::shared_ptr<flow::Follower>> follow() { return journal_->follow(); }

 private:
  /// Knows what was opened here, and nothing else of the machine.
  class OwnNamer final : public flow::Namer {
    flow::Naming name(const flow::Enter& enter) override {
      const bool own = enter.cgroup == 0;
      return {.state = own ? flow::NamingState::kNamed : flow::NamingState::kNotOurs,
              .flow = own ? "bench" : "",
              .identity = {},
              .known = 0};
    }
  };

  LogPath() = default;
  void drain() noexcept;
  [[nodiscard]] std::uint64_t missed_events() const;

  std::string dir_;
  std::unique_ptr<flow::Journal> journal_;
  std::optional<kernel::LogLive> live_;
  std::unique_ptr<kernel::RingReader> ring_;
  std::unique_ptr<StreamSlots> slots_;
  OwnNamer namer_;
  std::unique_ptr<flow::LogConsumer> consumer_;
  std::atomic<std::chrono::milliseconds> each_{};
  std::atomic<std::chrono::milliseconds> once_{};
  std::atomic<std::uint64_t> most_waiting_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace flowtap::bench
