// The backends that the configuration asks for, each behind its Outlet.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stats/backends/outlet_options.hpp"
#include "stats/compat/page.hpp"
#include "stats/outlet.hpp"

namespace flowtap::stats {

class Outlets {
 public:
  /// `state_dir`: where a backend keeps what its successor needs. `node`: what is read when somebody asks for
  /// node_exporter's names; null: nothing.
  explicit Outlets(std::string state_dir, std::shared_ptr<compat::PageSource> node = nullptr)
      : state_dir_(std::move(state_dir)), node_(std::move(node)) {}

  /// A backend that was started.
  struct State {
    std::string name;
    std::string where;  ///< it sends to or listens
    BackendHealth health;
  };
  /// A backend that could not be started.
  struct Failure {
    std::string name;
    Error why;
  };

  /// Brings the backends into line with `options`: ends those that are no longer wanted or whose options changed, and
  /// starts the missing ones; the others go on untouched. New backends send what is counted after `told`, which is null at
  /// the start. A backend that cannot be started is in failed(), hinders nothing else, and is tried again next time.
  void apply(const OutletOptions& options, const SnapshotPtr& told);

  /// Hands the snapshot to each backend whose period has passed; waits for none.
  void offer(const SnapshotPtr& snapshot);

  /// Publishes what is not delivered yet, within one time limit for all of them together.
  void stop(std::chrono::milliseconds limit);

  [[nodiscard]] std::vector<State> states() const;
  [[nodiscard]] const std::vector<Failure>& failed() const { return failed_; }

  /// How long Prometheus' scrapes have taken so far; absent if it is off.
  [[nodiscard]] std::optional<HistogramValue> scrape_durations() const;

 private:
  struct Kind;
  struct Running {
    std::unique_ptr<Outlet> outlet;
    std::chrono::milliseconds period{0};  ///< not offered more often than this; 0: every cycle
    std::chrono::steady_clock::time_point next{};
  };
  static const std::vector<Kind>& kinds();
  [[nodiscard]] std::string where(const std::string& name) const;
  void end(const std::vector<std::string>& names, std::chrono::milliseconds limit);
  Result<std::unique_ptr<Backend>> open_prometheus(const OutletOptions& options);

  std::map<std::string, Running> running_;            // by kind
  std::map<std::string, std::uint64_t> lost_before_;  // by earlier backends of the kind
  std::vector<Failure> failed_;
  std::function<HistogramValue()> scrape_durations_;
  std::string state_dir_;
  std::shared_ptr<compat::PageSource> node_;
  OutletOptions options_;  // what the running ones were made from
};

}  // namespace flowtap::stats
