// What the kernel and other people's schedulers tell about sched_ext; the component "scx_stats" if one has statistics.
#pragma once

#include <string_view>

#include "component/component.hpp"
#include "count/sched_ext_watch.hpp"
#include "count/scx_stats.hpp"

namespace flowtap {

class SchedExtComponent final : public Component {
 public:
  explicit SchedExtComponent(Shared& shared);

  [[nodiscard]] std::string_view name() const override { return "sched_ext"; }
  void look_around() override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;

 private:
  Shared& shared_;
  SchedExtWatch watch_;
  ScxStats scx_stats_;
};

}  // namespace flowtap
