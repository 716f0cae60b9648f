// CPUs that go and come while they are counted. For virtual machines only, since it takes CPUs from whoever runs there.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/node/daemon/dispatched.hpp"
#include "tests/node/daemon/switching.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

constexpr int kCpu = 1;
constexpr int kRounds = 20'000;

/// Takes the CPU away and gives it back. At the end it is there in any case.
class Plug {
 public:
  ~Plug() { set(true); }
  void set(bool online) const {
    std::ofstream file("/sys/devices/system/cpu/cpu" + std::to_string(kCpu) + "/online");
    file << (online ? 1 : 0) << std::flush;
  }
};

std::uint64_t cpus_online(const Daemon& daemon) {
  return daemon.status().at("count").at("cpus").at("online").to_number<std::uint64_t>();
}

// What the kernel tells of the CPU that goes. It is absent while the CPU is off, and not less when it is back.
bool is_of_the_cpu(const std::string& key) {
  return key.starts_with("flowtap_node_") && key.contains("cpu=\"" + std::to_string(kCpu) + '"');
}

TEST(Hotplug, NothingIsLostWhileACpuGoesAndComes) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
  ASSERT_STREQ(std::getenv("FTAP_VM"), "1")
      << "this test takes CPUs away: vmtest/run runs it in a machine of its own";
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--cycle", "20ms"}});
  const std::uint64_t cpus = cpus_online(daemon.wait_ready());
  ASSERT_GE(cpus, 2U);
  // The tasks are bound to the CPU that goes: the kernel has to move them, and what they did there must be taken over. They are
  // bound before the CPU goes for the first time, as nobody can be bound to one that is not there.
  Crew crew({[](Hands&) { pin_to({kCpu}); }, [](Hands& hands) { hand_to_and_fro(hands, kRounds); }});
  crew.go();
  crew.finish();
  const SwitchCounts crew_before = crew.quiesce();
  const double machine_before = machine_switches();
  const SeriesMap before = daemon.settled_stats().series;
  SeriesMap last = daemon.scrape().counters;
  const Plug plug;
  crew.go();
  for (int i = 0; i < 3; ++i) {
    for (const bool online : {false, true}) {
      plug.set(online);
      const std::uint64_t expected = online ? cpus : cpus - 1;
      ASSERT_TRUE(eventually([&] { return cpus_online(daemon) == expected; }))
          << "it still believes in " << cpus_online(daemon) << " CPUs\n"
          << daemon.err();
      const double then = sum_of(daemon.stats().series, kDispatched);
      EXPECT_GT(sum_of(daemon.settled_stats().series, kDispatched), then) << "the counters stand still";
      SeriesMap must = last;
      if (!online) std::erase_if(must, [](const auto& series) { return is_of_the_cpu(series.first); });
      // The telemetry looks once a second.
      SeriesMap now;
      EXPECT_TRUE(eventually([&] { return went_back(must, now = daemon.scrape().counters).empty(); }))
          << went_back(must, now);
      for (const auto& [key, value] : now) last[key] = value;
    }
  }
  ASSERT_TRUE(eventually([&crew] { return !crew.busy(); }));
  const SwitchCounts crew_after = crew.quiesce();
  const SeriesMap after = daemon.settled_stats().series;
  const double machine = machine_switches() - machine_before;

  const auto made = static_cast<double>(crew_after.sum() - crew_before.sum());
  const double counted = sum_of(after, kDispatched) - sum_of(before, kDispatched);
  std::printf("crew %.0f <= counted %.0f <= machine %.0f\n", made, counted, machine);
  EXPECT_GE(counted, made);
  EXPECT_LE(counted, machine);
  EXPECT_EQ(after.at(series_key("flowtap_read_errors_total", {{"what", "topology"}})), 0);
  EXPECT_EQ(daemon.scrape().all.at(series_key("flowtap_component_up", {{"component", "count"}})), 1);
}

}  // namespace
}  // namespace flowtap::test
