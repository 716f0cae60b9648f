// The backends through which metrics go out; each is a component.
#pragma once

#include <string>
#include <string_view>

#include "component/component.hpp"
#include "daemon/privileges.hpp"
#include "stats/backends/outlets.hpp"
#include "telemetry/node_exporter/node_exporter_page.hpp"

namespace flowtap {

class OutletsComponent final : public Component {
 public:
  /// `given_up` is known from run() on.
  OutletsComponent(Shared& shared, const stats::OutletOptions& options, const GivenUp& given_up)
      : shared_(shared),
        options_(options),
        given_up_(given_up),
        outlets_(shared.state_dir, std::make_shared<telemetry::NodeExporterPage>(shared.host_root)) {}

  [[nodiscard]] std::string_view name() const override { return "outlets"; }
  void run() override { apply(nullptr); }
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void offer(const stats::SnapshotPtr& snapshot) override { outlets_.offer(snapshot); }
  [[nodiscard]] bool shows() const override { return !outlets_.states().empty(); }
  void stop() override;

 private:
  void take_options() override { apply(shared_.node.snapshot()); }
  /// New backends send what is counted after `told`, which is null at the start.
  void apply(const stats::SnapshotPtr& told);
  [[nodiscard]] std::string hint(const std::string& name, const Error& error) const;

  Shared& shared_;
  const stats::OutletOptions& options_;
  const GivenUp& given_up_;
  stats::Outlets outlets_;
};

}  // namespace flowtap
