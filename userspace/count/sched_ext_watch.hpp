// What the kernel shows about sched_ext, as metrics that never fall, for any scheduler, whoever wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/sched_ext.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// The kernel counts from 0 again with each scheduler that is loaded. What a scheduler counted between the last reading
/// and its end is lost.
class SchedExtWatch {
 public:
  /// The `what` of flowtap_read_errors_total.
  static constexpr const char* kWhat = "sched_ext";

  /// Takes one reading; absent on a kernel without sched_ext.
  void note(const std::optional<kernel::SchedExt>& now);
  void append_samples(std::vector<stats::Series>& out) const;

 private:
  void append_state(std::vector<stats::Series>& out) const;

  struct Counter {
    std::uint64_t before = 0;          // of runs that are over
    std::uint64_t last = 0;            // of the run that goes on
    std::optional<std::uint64_t> run;  // its enable sequence
    [[nodiscard]] std::uint64_t total() const { return before + last; }
    void note(std::uint64_t value, std::optional<std::uint64_t> now);
  };
  using EventName = std::pair<std::string, std::string>;  // scheduler and event

  std::optional<kernel::SchedExt> now_;
  std::map<std::string, Counter> rejected_;  // by scheduler
  std::map<EventName, Counter> events_;
};

}  // namespace flowtap
