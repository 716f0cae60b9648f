// The first half of flowtapd's stream path: the log tap, its ring, the consumer on a thread of its own, and the journal
// in a tmpfs. The differences are that nothing is pinned, and that the consumer can be made to stall.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "kernel/log/log_programs.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap::bench {

/// What happened to the bytes of a stream.
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

  /// Taps the file or pipe of the descriptor from now on.
  [[nodiscard]] Result<flow::StreamNo> tap(int fd, ftap_log_kind kind = FTAP_KIND_PIPE);

  /// Waits until the consumer has reached the end. It is an Error if the stream does not have the bytes `written`, or
  /// if captured and lost bytes do not add up to them: then the figures are worthless.
  [[nodiscard]] Result<Ledger> settle(flow::StreamNo stream, std::uint64_t written);

  /// The CPU time that the consumer's thread has used so far.
  [[nodiscard]] double consumer_cpu_ns();

  /// From now on, the consumer sleeps this long after each round.
  void stall_each(std::chrono::milliseconds pause) { each_ = pause; }
  /// The consumer does so once, soon.
  void stall_once(std::chrono::milliseconds pause) { once_ = pause; }
  /// The most bytes that were found in the ring since the last call.
  [[nodiscard]] std::uint64_t take_most_waiting() { return most_waiting_.exchange(0); }

  /// A follower, for as long as it is held.
  [[nodiscard]] Result<std::shared_ptr<flow::Follower>> follow() { return journal_->follow(); }

 private:
  /// Knows only what was opened here, and nothing else of the machine.
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
  [[nodiscard]] std::optional<std::uint64_t> missed_events() const;

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
