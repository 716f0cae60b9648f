// The backends through which metrics go out; each is a component.
#pragma once

#include "daemon/components/component.hpp"
#include "daemon/outlets.hpp"

namespace flowtap {

class OutletsComponent final : public Component {
 public:
  explicit OutletsComponent(Shared& shared) : shared_(shared) {}

  void run() override;
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void offer(const stats::SnapshotPtr& snapshot) override { outlets_.offer(snapshot); }
  void reload(const Config& old) override;
  [[nodiscard]] bool shows() const override { return !outlets_.status().empty(); }
  void stop() override;

 private:
  /// New backends send what is counted after `told`, which is null at the start.
  void apply(const stats::SnapshotPtr& told);

  Shared& shared_;
  Outlets outlets_;
};

}  // namespace flowtap
