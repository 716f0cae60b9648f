// The streams as the kernel's programs have them. The interface belongs to the stream path; kernel/ has the memory behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "kernel/records/record.hpp"

namespace flowtap::flow {

/// One stream that is open, or has ended and still has its slot.
struct StreamSlot {
  StreamNo stream = 0;
  std::uint32_t slot = 0;
  bool ended = false;
  ftap_log_kind kind = FTAP_KIND_PIPE;
  std::uint32_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t cgroup = 0;
  std::uint32_t pid = 0;
  std::uint32_t fds = 0;  ///< FTAP_STDOUT | FTAP_STDERR
  ftap_log_rule rule = FTAP_RULE_CONTAINER;
  std::uint64_t start_time = 0;  ///< of the process, ns on CLOCK_BOOTTIME; 0: not known
  std::uint64_t passed = 0;      ///< bytes, captured or not
  std::uint64_t written = 0;  ///< to a pipe, at least: what of it has not passed is in the pipe; 0: not known
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};
};

/// The most that keep_name() keeps: with it, the kernel's row takes two KiB.
constexpr std::size_t kMostKeptName = 1944;

/// What became of a name that was to be kept.
enum class NameKept : std::uint8_t {
  kYes,
  kTooLong,  ///< longer than kMostKeptName, or than what an older build's map holds
  kNoMap,    ///< the kernel has made no map for them
  kNoRoom,   ///< the map is full, or there is no memory
};

/// Safe from any thread.
class StreamControl {
 public:
  StreamControl() = default;
  StreamControl(const StreamControl&) = delete;
  StreamControl& operator=(const StreamControl&) = delete;
  virtual ~StreamControl() = default;

  [[nodiscard]] virtual std::vector<StreamSlot> sweep() const = 0;
  /// The streams among these to which no byte can come any more: pipes that nobody reads (a runtime may leave without having read
  /// to the end), other streams of containers, if no process of their cgroup has an output, and streams of what is listed, if the
  /// place is no process's output, or if nothing is left that the listed process has started. Looks at all open files of the
  /// node, so it is not to be called often. Empty if this is not known. `written` of a pipe has what is in it now.
  [[nodiscard]] virtual std::vector<StreamSlot> abandoned(const std::vector<StreamSlot>& streams) const = 0;

  /// Taps it no longer. There will be no END record; its slot shows that it has ended.
  virtual Status end(const StreamSlot& slot) = 0;
  /// The same for one that abandoned() has told of: what is in it will be read by nobody, and counts as passed and as lost
  /// (FTAP_LOSS_UNREAD).
  virtual Status abandon(const StreamSlot& slot) = 0;
  /// Frees the slot. Not sooner than a second after the stream was seen to have ended, when no program can be at it any more, and
  /// not before its end is in the journal.
  virtual void free(const StreamSlot& slot) = 0;
  /// Keeps what the service knows of a stream beside the stream's slot, until the slot is freed. A service that starts with another
  /// journal, or with an emptied one, finds it there.
  virtual NameKept keep_name(StreamNo stream, std::span<const std::byte> name) = 0;
  /// Empty: nothing is kept.
  [[nodiscard]] virtual std::vector<std::byte> kept_name(StreamNo stream) const = 0;
  /// All streams about which something is kept, including those that no longer have a slot.
  [[nodiscard]] virtual std::vector<StreamNo> kept_names() const = 0;
  virtual void forget_name(StreamNo stream) = 0;
  /// A number for a stream that no program knows.
  [[nodiscard]] virtual StreamNo take_number() = 0;
  /// Says that the ring was drained just now.
  virtual void beat() = 0;
  /// Whether records are to wake the consumer. That costs far more than its timer if there are many.
  virtual void wake(bool on) = 0;
};

}  // namespace flowtap::flow
