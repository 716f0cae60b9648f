#include "tests/scheds/run.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "kernel/dispatch/dispatch_programs.hpp"
#include "scheds/schedulers.hpp"
#include "stats/table.hpp"
#include "tests/scheds/ext_switches.hpp"

namespace flowtap::test {
namespace {

std::uint64_t sum_of(const stats::SlotCounts& counts, stats::CountedBy by) {
  std::uint64_t sum = 0;
  for (const stats::Stat& s : stats::slot_stats())
    if (s.family == stats::FamilyId::kDISPATCHED_TASKS && s.counted_by == by)
      sum += counts.at(FTAP_CLASS_EXT).at(s.slot.value());
  return sum;
}

void print(const SchedulerRun& run) {
  for (const stats::Stat& s : stats::slot_stats())
    if (s.counted_by == stats::CountedBy::kScheduler)
      std::printf("  %-24s %10lu\n", std::string(s.label.value_or(stats::family(s.family).name)).c_str(),
                  run.of(s.slot.value()));
  std::printf("  sum %lu, traced %lu; switches %llu, of them after an insertion %llu; insertions %llu\n",
              run.sum(), run.traced_sum(), run.others.switches, run.others.after_insertion,
              run.others.insertions);
}

}  // namespace

std::uint64_t SchedulerRun::sum() const {
  return sum_of(own, stats::CountedBy::kScheduler);
}
std::uint64_t SchedulerRun::traced_sum() const {
  return sum_of(traced, stats::CountedBy::kTracing);
}

SchedulerRun run_scheduler(const std::string& name,
                           const std::function<void(scheds::Scheduler&, const CountedSoFar&)>& job) {
  SchedulerRun run;
  auto topology = kernel::read_topology("/sys");
  auto live = kernel::start_dispatch(std::move(*topology));
  if (!live) return ADD_FAILURE() << live.error().what, run;
  auto tracing = live->slots();
  const ExtSwitches others;
  {
    auto scheduler = scheds::start_scheduler(name, {.ext_self_map = live->ext_self_map()});
    if (!scheduler)
      return ADD_FAILURE() << scheduler.error().what << "\nhint: " << scheduler.error().hint, run;
    auto slots = (*scheduler)->slots();
    job(**scheduler, [&] {
      (*slots)->take(run.own);
      return run.own;
    });
    if (const auto exit = (*scheduler)->exited()) run.left_behind = exit->sentence;
    scheduler->reset();
    (*slots)->take(run.own);
  }
  (*tracing)->take(run.traced);
  run.others = others.read();
  print(run);
  return run;
}
SchedulerRun run_scheduler(const std::string& name, const std::function<void(scheds::Scheduler&)>& job) {
  return run_scheduler(name, [&job](scheds::Scheduler& scheduler, const CountedSoFar&) { job(scheduler); });
}

}  // namespace flowtap::test
