// `flowtap tap PID`: a running process's outputs, followed for as long as somebody reads them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "component/views/flow_views.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/stream_slots.hpp"

namespace flowtap {

/// Safe from any thread.
class ProcessTaps {
 public:
  ProcessTaps(const kernel::LogLive& live, const kernel::OpenFiles& files, StreamSlots& slots,
              flow::LogConsumer& consumer)
      : live_(live), files_(files), slots_(slots), consumer_(consumer) {}

  struct Tap {
    std::vector<flow::StreamNo> streams;  ///< to be read; each has its name in the journal soon
    Fd process;                           ///< a pidfd
    std::function<void()> release;        ///< to be called once, when nobody reads it any more
  };

  /// Taps standard output and error from now on. Error codes: ESRCH there is no such process, or it has no outputs, EACCES they
  /// may not be looked at, ENOTSUP its outputs cannot be
  /// captured (or the one that is asked for cannot; a place that is both counts as standard output), EMFILE there are kMost taps.
  [[nodiscard]] Result<Tap> open(std::uint32_t pid, api::Outputs outputs);

  [[nodiscard]] std::size_t count() const;
  /// Whether places were given back since this was asked last: others may have them now.
  [[nodiscard]] bool take_released() { return released_.exchange(false); }

  static constexpr std::size_t kMost = 256;

 private:
  struct Held {
    flow::StreamNo stream = 0;
    kernel::LogTarget target;
    bool was_there = false;  // captured already: a container's, or another tap's
  };

  [[nodiscard]] Result<std::vector<Held>> open_streams(std::uint32_t pid, api::Outputs outputs,
                                                       std::string& own_flow);
  void release(const std::vector<Held>& held);

  const kernel::LogLive& live_;
  const kernel::OpenFiles& files_;
  StreamSlots& slots_;
  flow::LogConsumer& consumer_;
  mutable std::mutex mutex_;
  std::atomic<bool> released_{false};
  std::map<flow::StreamNo, std::size_t> users_;  // streams that taps have opened, and how many use each
};

}  // namespace flowtap
