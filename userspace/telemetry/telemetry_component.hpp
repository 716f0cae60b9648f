// The component "telemetry".
#pragma once

#include <memory>
#include <string_view>

#include "component/component.hpp"
#include "telemetry/telemetry_path.hpp"
#include "telemetry/usage_counting.hpp"

namespace flowtap {

class TelemetryComponent final : public Component {
 public:
  /// `compat_metrics`: the configuration's list of exporters. `runtimes`: where container runtimes keep their state.
  /// Other components use `named` and `logs` as well.
  TelemetryComponent(Shared& shared, const TelemetryOptions& options, const std::string& compat_metrics,
                     identity::StateDirectories runtimes, UsageCounting& counting,
                     std::shared_ptr<NamedContainers> named, std::shared_ptr<WorkloadLogs> logs);

  [[nodiscard]] std::string_view name() const override { return TelemetryPath::kName; }
  void run() override;
  void take() override;
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  [[nodiscard]] Earlier earlier() const override;
  void let_go() override;

 private:
  void take_options() override;
  void tell();
  void keep_ends();

  Shared& shared_;
  const TelemetryOptions& options_;
  const std::string& compat_metrics_;
  TelemetryOptions applied_;   // the options under which it was started last
  bool for_cadvisor_ = false;  // alike
  identity::StateDirectories runtimes_;
  UsageCounting& counting_;
  std::shared_ptr<NamedContainers> named_;
  std::shared_ptr<WorkloadLogs> logs_;
  std::shared_ptr<telemetry::ContainerEnds> ends_ = std::make_shared<telemetry::ContainerEnds>();
  std::unique_ptr<TelemetryPath> path_;
};

}  // namespace flowtap
