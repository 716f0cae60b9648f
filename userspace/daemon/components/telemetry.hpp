// The component "telemetry".
#pragma once

#include <memory>

#include "daemon/components/count.hpp"
#include "telemetry/telemetry_path.hpp"

namespace flowtap {

class TelemetryComponent final : public Component {
 public:
  /// Other components use `named`, `logs` and `ends` as well.
  TelemetryComponent(Shared& shared, CountComponent& count, std::shared_ptr<NamedContainers> named,
                     std::shared_ptr<WorkloadLogs> logs, std::shared_ptr<telemetry::ContainerEnds> ends)
      : shared_(shared),
        count_(count),
        named_(std::move(named)),
        logs_(std::move(logs)),
        ends_(std::move(ends)) {}

  void run() override;
  void take() override;
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  [[nodiscard]] Earlier earlier() const override;
  void let_go(const Config& next) override;
  void reload(const Config& old) override;

 private:
  void tell();

  Shared& shared_;
  CountComponent& count_;
  std::shared_ptr<NamedContainers> named_;
  std::shared_ptr<WorkloadLogs> logs_;
  std::shared_ptr<telemetry::ContainerEnds> ends_;
  std::unique_ptr<TelemetryPath> path_;
};

}  // namespace flowtap
