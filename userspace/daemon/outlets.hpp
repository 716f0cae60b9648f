// The backends that the configuration asks for, each behind its Outlet.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/views/views.hpp"
#include "daemon/config/config.hpp"
#include "daemon/privileges.hpp"
#include "stats/outlet.hpp"

namespace flowtap {

class Outlets {
 public:
  /// The rights that were given up at the start, for hints about what is refused.
  void set_given_up(GivenUp given_up) { given_up_ = given_up; }

  /// Brings the backends into line with `config`: ends those that are no longer wanted or whose configuration changed,
  /// and starts the missing ones; the others go on untouched. New backends send what is counted after `told`, which is
  /// null at the start. A backend that cannot be started is in failed(), hinders nothing else, and is tried again next
  /// time.
  void apply(const Config& config, const stats::SnapshotPtr& told);

  /// Hands the snapshot to each backend whose period has passed; waits for none.
  void offer(const stats::SnapshotPtr& snapshot);

  /// Publishes what is not delivered yet, within one time limit for all of them together.
  void stop(std::chrono::milliseconds limit);

  [[nodiscard]] std::vector<api::BackendStatus> status() const;
  /// For each backend that was started: where it sends to or listens, or why it does not work now.
  [[nodiscard]] std::vector<api::ComponentStatus> components() const;

  [[nodiscard]] const std::vector<api::ComponentStatus>& failed() const { return failed_; }

  /// How long Prometheus' scrapes have taken so far; absent if it is off.
  [[nodiscard]] std::optional<stats::HistogramValue> scrape_durations() const;

 private:
  struct Kind;
  struct Running {
    std::unique_ptr<stats::Outlet> outlet;
    std::chrono::milliseconds period{0};  ///< not offered more often than this; 0: every cycle
    std::chrono::steady_clock::time_point next{};
  };
  static const std::vector<Kind>& kinds();
  [[nodiscard]] std::string where(const std::string& name) const;
  [[nodiscard]] std::string hint(const std::string& name, const Error& error) const;
  void end(const std::vector<std::string>& names, std::chrono::milliseconds limit);
  Result<std::unique_ptr<stats::Backend>> open_prometheus(const Config& config);

  std::map<std::string, Running> running_;            // by kind
  std::map<std::string, std::uint64_t> lost_before_;  // by earlier backends of the kind
  std::vector<api::ComponentStatus> failed_;
  std::function<stats::HistogramValue()> scrape_durations_;
  GivenUp given_up_;
  Config config_;  // what the running ones were made from
};

}  // namespace flowtap
