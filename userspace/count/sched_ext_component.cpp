#include "count/sched_ext_component.hpp"

#include "base/node/on_host.hpp"
#include "kernel/sched_ext.hpp"

namespace flowtap {

SchedExtComponent::SchedExtComponent(Shared& shared)
    : shared_(shared), scx_stats_(on_host(shared.host_root, ScxStats::kSocket)) {
  shared_.read_errors.insert({{SchedExtWatch::kWhat, 0}, {ScxStats::kName, 0}});
}

void SchedExtComponent::look_around() {
  ReadErrors& errors = shared_.read_errors;
  const auto now = kernel::read_sched_ext(on_host(shared_.host_root, "/sys"));
  if (now) errors[SchedExtWatch::kWhat] += now->unreadable;
  watch_.note(now);
  scx_stats_.look(now, ScxStats::Clock::now(), errors);
  if (scx_stats_.health())
    health_.set(ScxStats::kName, *scx_stats_.health(), scx_stats_.how());
  else
    health_.drop(ScxStats::kName);
}

void SchedExtComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  watch_.append_samples(out);
  scx_stats_.append_samples(out);
}

}  // namespace flowtap
