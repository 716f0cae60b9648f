#include "tests/scheds/run.hpp"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "kernel/dispatch_programs.hpp"
#include "kernel/libbpf_messages.hpp"
#include "scheds/schedulers.hpp"
#include "stats/table.hpp"

namespace flowtap::test {
namespace {

// ext_switches.bpf.c, attached while it lives.
class ExtSwitches {
 public:
  ExtSwitches() : object_(bpf_object__open(FLOWTAP_EXT_SWITCHES), bpf_object__close) {
    const kernel::LibbpfMessages messages;
    const int refused = bpf_object__load(object_.get());
    EXPECT_EQ(refused, 0) << kernel::LibbpfMessages::text();
    if (refused != 0) return;
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, object_.get()) {
      links_.emplace_back(bpf_program__attach(program), bpf_link__destroy);
      EXPECT_TRUE(links_.back()) << bpf_program__name(program) << ": " << kernel::LibbpfMessages::text();
    }
  }

  [[nodiscard]] ext_switches read() const {
    ext_switches counts{};
    const std::uint32_t key = 0;
    const bpf_map* map = bpf_object__find_map_by_name(object_.get(), "counted");
    EXPECT_EQ(bpf_map__lookup_elem(map, &key, sizeof(key), &counts, sizeof(counts), 0), 0);
    return counts;
  }

 private:
  std::unique_ptr<bpf_object, void (*)(bpf_object*)> object_;
  std::vector<std::unique_ptr<bpf_link, int (*)(bpf_link*)>> links_;
};

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

SchedulerRun run_scheduler(const std::string& name, const std::function<void(scheds::Scheduler&)>& job) {
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
    job(**scheduler);
    if (const auto exit = (*scheduler)->exited()) run.left_behind = exit->sentence;
    scheduler->reset();
    (*slots)->take(run.own);
  }
  (*tracing)->take(run.traced);
  run.others = others.read();
  print(run);
  return run;
}

}  // namespace flowtap::test
