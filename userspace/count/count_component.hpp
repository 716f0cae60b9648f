// The component "count": the count path, and the usage that it adds up for other components.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "component/component.hpp"
#include "count/count_options.hpp"
#include "count/count_path.hpp"
#include "count/cycle_counting.hpp"
#include "telemetry/telemetry_options.hpp"
#include "telemetry/usage_counting.hpp"

namespace flowtap {

class CountComponent final : public Component, public UsageCounting {
 public:
  /// The telemetry's options say what is added up beside dispatches.
  CountComponent(Shared& shared, const CountOptions& options, const TelemetryOptions& telemetry,
                 const std::chrono::milliseconds& cycle);

  [[nodiscard]] std::string_view name() const override { return CountPath::kName; }
  void open() override;
  void look_around() override;
  void take() override;
  void report(api::StatusReport& status) override;
  void let_go() override;
  [[nodiscard]] std::string sentence() const override;
  void stop() override { path_.reset(); }

  /// Whether the programs would have to be loaded anew, or ended.
  [[nodiscard]] bool changes() const override;
  [[nodiscard]] Result<std::unique_ptr<stats::UsageSource>> usage() override;
  [[nodiscard]] identity::UsageHierarchy hierarchy() const override;
  [[nodiscard]] const std::string& why_no_cycles() const override { return cycles_.why_not(); }
  /// The map that our own scheduler shares with the programs; -1: nothing is counted.
  [[nodiscard]] int ext_self_map() const { return path_ ? path_->ext_self_map() : -1; }

 private:
  void take_options() override;
  void start();
  void choose_cycles();
  void choose_hierarchy();

  Shared& shared_;
  const CountOptions& options_;
  const TelemetryOptions& telemetry_;
  const std::chrono::milliseconds& cycle_;
  TelemetryOptions applied_;  // the options under which it counts
  CycleCounting cycles_;
  Result<identity::UsageHierarchy>
      hierarchy_;  // the hierarchy by which the programs count, as long as they do
  std::unique_ptr<CountPath> path_;
};

}  // namespace flowtap
