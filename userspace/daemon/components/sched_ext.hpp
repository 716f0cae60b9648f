// What the kernel and schedulers that are not ours tell of sched_ext; the component "scx_stats" where one has statistics.
#pragma once

#include "count/sched_ext_watch.hpp"
#include "count/scx_stats.hpp"
#include "daemon/components/component.hpp"

namespace flowtap {

class SchedExtComponent final : public Component {
 public:
  explicit SchedExtComponent(Shared& shared);

  void look_around() override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;

 private:
  Shared& shared_;
  SchedExtWatch watch_;
  ScxStats scx_stats_;
};

}  // namespace flowtap
