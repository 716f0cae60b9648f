// A kernel with sched_ext, scheds/domain under load in flowtapd, and the full set of its dispatch types in Prometheus. For
// virtual machines only, with the caches and nodes of tests/scheds/domain_scenes.hpp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "stats/table.hpp"
#include "tests/scheds/domain_scenes.hpp"
#include "tests/scheds/ext_switches.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

constexpr const char* kName = "domain";

double of(const SeriesMap& series, const std::string& name, const Labels& labels = {}) {
  const auto found = series.find(series_key(name, labels));
  return found == series.end() ? -1 : found->second;
}

// The row of stats/scheds.def as Prometheus has it.
double of(const SeriesMap& series, const stats::Stat& stat) {
  const std::string name(stats::family(stat.family).name);
  const double value = stat.label
                           ? of(series, name, {{"scheduler", kName}, {"type", std::string(*stat.label)}})
                           : of(series, name);
  std::printf("%s %s %.0f\n", name.c_str(), std::string(stat.label.value_or("")).c_str(), value);
  return value;
}

TEST(SchedulerTypes, EachHappensAndTheirSumIsEveryDispatch) {
  if (refused_here()) return;
  ASSERT_EQ(::sysconf(_SC_NPROCESSORS_ONLN), kDirector + 1) << "vmtest/run --topology numa-llc";
  const ScratchRoot root;
  const ExtSwitches others;
  Daemon daemon(root, {.flags = {"--scheduler", kName, "--cycle", "100ms"}});
  daemon.wait_ready();
  EXPECT_TRUE(daemon.component("scheduler").value().up);
  for (const Scene& scene : domain_scenes()) scene.play([] {});  // flowtapd looks around by itself
  sleep_long(true, 10);
  std::ofstream("/proc/sysrq-trigger") << "S" << std::flush;
  ASSERT_TRUE(eventually([&] { return !daemon.component("scheduler").value().up; }));
  const auto page = daemon.scrape();
  const auto counted = others.read();
  unsigned types = 0;
  double sum = 0;
  for (const stats::Stat& stat : stats::slot_stats()) {
    if (stat.counted_by != stats::CountedBy::kScheduler) continue;
    const double value = of(page.all, stat);
    if (stat.family == stats::FamilyId::kDISPATCHED_TASKS) {
      ++types;
      sum += value;
    }
    const bool never = stat.slot == FTAP_SLOT_TASK_ERRORS;
    if (never) {
      EXPECT_EQ(value, 0);
    } else if (stat.slot != FTAP_SLOT_EXT_UNOBSERVED) {
      EXPECT_GT(value, 0);
    }
  }
  EXPECT_EQ(types, 12U) << "11 and what the kernel did unasked";
  EXPECT_EQ(sum, static_cast<double>(counted.switches));
}

}  // namespace
}  // namespace flowtap::test
