// What flowtapd itself uses, as process_* series.
#pragma once

#include <string_view>

#include "component/component.hpp"
#include "telemetry/process_stats.hpp"

namespace flowtap {

class ProcessComponent final : public Component {
 public:
  explicit ProcessComponent(Shared& shared) : shared_(shared) {
    shared.read_errors.insert({kProcessErrors, 0});
  }

  [[nodiscard]] std::string_view name() const override { return "process"; }
  void look_around() override {
    series_.clear();
    append_process_stats(series_, shared_.read_errors);
  }
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) override {
    out.insert(out.end(), series_.begin(), series_.end());
  }

 private:
  Shared& shared_;
  std::vector<stats::Series> series_;
};

}  // namespace flowtap
