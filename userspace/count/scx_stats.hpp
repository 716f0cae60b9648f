// The statistics of schedulers written with the scx_stats library (the Rust ones of sched-ext/scx), as one component.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "count/scx_client.hpp"
#include "count/scx_totals.hpp"
#include "count/scx_values.hpp"
#include "kernel/sched_ext.hpp"
#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// Their counts begin when it connected, a second or two after the scheduler began.
class ScxStats {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr const char* kName = "scx_stats";  ///< the component's
  /// Below the node's root. Others go by the link /var/run, which need not lead there in a container.
  static constexpr const char* kSocket = "/run/scx/root/stats";

  explicit ScxStats(std::string socket_path) : client_(std::move(socket_path)) {}

  /// Takes what was answered since the last look, and asks anew. Never waits: a slow scheduler delays only its own
  /// values. `now` is the kernel's account of sched_ext.
  void look(const std::optional<kernel::SchedExt>& now, Clock::time_point at, ReadErrors& errors);

  /// Absent: no scheduler with such statistics runs.
  [[nodiscard]] const std::optional<Status>& health() const { return health_; }
  [[nodiscard]] std::string how() const;
  void append_samples(std::vector<stats::Series>& out) const { totals_.append_samples(out); }

 private:
  [[nodiscard]] Status step(const kernel::SchedExt& now, Clock::time_point at, ReadErrors& errors);
  [[nodiscard]] Status ask(const char* request, Clock::time_point at);
  [[nodiscard]] Status take(const kernel::SchedExt& now, std::string_view line, ReadErrors& errors);
  void end();

  ScxClient client_;
  std::optional<ScxSchema> schema_;
  bool first_ = true;   // the next answer is the connection's first
  bool ended_ = false;  // a connection to this scheduler
  ScxTotals totals_;
  std::optional<Status> health_;
  std::optional<std::uint64_t> run_;  // that of the scheduler that is asked
  Clock::time_point answer_by_{};
  Clock::time_point again_{};  // after a failure
};

}  // namespace flowtap
