// What is measured while the node's clock is set an hour on and a day back. For virtual machines only, since it is their clock.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/node/telemetry/energy_node.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void set_clock(std::chrono::seconds by) {
  timeval now{};
  ASSERT_EQ(::gettimeofday(&now, nullptr), 0);
  now.tv_sec += by.count();
  ASSERT_EQ(::settimeofday(&now, nullptr), 0);
}

double sum_of(const Stats& stats, const std::string& family) {
  double sum = 0;
  for (const auto& [key, value] : stats.series)
    if (key.starts_with(family) && (key.size() == family.size() || key[family.size()] == '{')) sum += value;
  return sum;
}

TEST(Clock, IsSetAndNothingIsMeasuredByIt) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
  ASSERT_STREQ(std::getenv("FTAP_VM"), "1");
  const ScratchRoot root;
  const Zones zones(root);
  const Spinner spinner;
  Daemon daemon(root, {.config = "telemetry: {keep: 3s}"});
  daemon.wait_ready();
  const auto cpus = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  Stats before = daemon.settled_stats();
  auto since = Clock::now();
  for (const auto by : {std::chrono::seconds(1h), -std::chrono::seconds(24h), std::chrono::seconds(23h)}) {
    ASSERT_NO_FATAL_FAILURE(set_clock(by));
    const double drawn = zones.drawn();
    (void)daemon.settled_stats();
    const Stats now = daemon.settled_stats();
    // A cycle begins some time before its stats are there, and the stats before are of an earlier cycle. That is no hour.
    const double passed = std::chrono::duration<double>(Clock::now() - since).count() + 10;
    for (const char* family : {"flowtap_workload_cpu_seconds_total", "flowtap_node_cpu_seconds_total"}) {
      const double more = sum_of(now, family) - sum_of(before, family);
      EXPECT_GT(more, 1) << family;
      EXPECT_LT(more, cpus * passed * 1.1) << family;
    }
    const double joules =
        sum_of(now, "flowtap_node_joules_total") - sum_of(before, "flowtap_node_joules_total");
    EXPECT_GT(joules, 100);
    EXPECT_LT(joules, 2 * 300 * passed);
    EXPECT_GT(zones.drawn(), drawn);
    EXPECT_EQ(sum_of(now, "flowtap_energy_jumps_total"), 0);
    EXPECT_EQ(sum_of(now, "flowtap_collector_timeouts_total"),
              sum_of(before, "flowtap_collector_timeouts_total"));
    for (const auto& [key, value] : now.series) {
      if (!key.contains("_total")) continue;
      const auto at = before.series.find(key);
      if (at != before.series.end()) {
        EXPECT_GE(value, at->second) << key;
      }
    }
    EXPECT_GT(sum_of(now, "flowtap_node_boot_time_seconds"), 0);
    before = now;
    since = Clock::now();
  }
}

}  // namespace
}  // namespace flowtap::test
