#include "count/scheduler_path.hpp"

#include "scheds/schedulers.hpp"

namespace flowtap {

using scheds::Keeper;

Result<std::unique_ptr<SchedulerPath>> SchedulerPath::start(const std::string& name, const std::string& sysfs,
                                                            int ext_self_map) {
  const scheds::StartOptions options{.sysfs = sysfs, .ext_self_map = ext_self_map};
  FTAP_TRY_ASSIGN(keeper, Keeper::start(
                              name, [name, options] { return scheds::start_scheduler(name, options); },
                              Keeper::Clock::now()));
  return std::unique_ptr<SchedulerPath>(new SchedulerPath(std::move(keeper)));
}

void SchedulerPath::take(stats::Registry& registry) {
  stats::SlotCounts counts{};
  keeper_.take(counts);
  registry.add_own(counts, keeper_.name());
}

std::string SchedulerPath::look_around() {
  return keeper_.look_around(Keeper::Clock::now());
}

std::string SchedulerPath::how() const {
  return "all tasks of the machine are under " + keeper_.name();
}

}  // namespace flowtap
