// The streams as the kernel's programs have them. The interface belongs to the stream path; kernel/ has the memory behind it.
#pragma once

#include <array>
#include <cstdint>
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
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};
};

/// Safe from any thread.
class StreamControl {
 public:
  StreamControl() = default;
  StreamControl(const StreamControl&) = delete;
  StreamControl& operator=(const StreamControl&) = delete;
  virtual ~StreamControl() = default;

  [[nodiscard]] virtual std::vector<StreamSlot> sweep() const = 0;
  /// Of these streams, those of which no byte can come any more: pipes that nobody reads (a runtime may leave without
  /// having read to the end), others of containers where no process of their cgroup has an output, of what is listed
  /// places that are no process's output, and those of a listed process of which nothing is left that it has started. Looks at all open files of the node, so it is for now and then. Empty where that
  /// is not known.
  [[nodiscard]] virtual std::vector<StreamSlot> abandoned(const std::vector<StreamSlot>& streams) const = 0;

  /// Taps it no longer. There will be no END record; its slot shows that it has ended.
  virtual Status end(const StreamSlot& slot) = 0;
  /// The slot can be used again. No sooner than a second after the stream was seen to have ended, when no program can
  /// be at it any more, and after its end is in the journal.
  virtual void free(const StreamSlot& slot) = 0;
  /// A number for a stream that no program knows.
  [[nodiscard]] virtual StreamNo take_number() = 0;
  /// The ring was drained just now.
  virtual void beat() = 0;
  /// Whether records are to wake the consumer, which costs far more than its timer where there are many.
  virtual void wake(bool on) = 0;
};

}  // namespace flowtap::flow
