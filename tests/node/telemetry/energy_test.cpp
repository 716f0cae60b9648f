// The joules in a node's /metrics (workloads, ended ones, the system and idle) sum to the node's, while its counters wrap, jump
// and are lost.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "tests/node/telemetry/energy_node.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kWorkloads = "flowtap_workload_joules_total";

// /metrics has 16 digits of a number, so microjoules are whole below 10 GJ.
std::int64_t microjoules(double joules) {
  return std::llround(joules * 1e6);
}

// In microjoules; absent before the first value.
std::optional<std::int64_t> node_of(const SeriesMap& page) {
  const auto at = page.find("flowtap_node_joules_total");
  return at == page.end() ? std::nullopt : std::optional(microjoules(at->second));
}
std::int64_t parts_of(const SeriesMap& page) {
  std::int64_t sum = 0;
  for (const auto& [key, value] : page)
    for (const char* part :
         {kWorkloads, "flowtap_node_ended_joules_total", "flowtap_node_system_joules_total",
          "flowtap_node_idle_joules_total", "flowtap_node_devices_joules_total"})
      if (key.starts_with(part)) sum += microjoules(value);
  return sum;
}
double of_spinner(const SeriesMap& page) {
  for (const auto& [key, value] : page)
    if (key.starts_with(kWorkloads) && key.contains(std::string(12, 'e'))) return value;
  return 0;
}

TEST(Energy, TheJoulesOfAPageSumToTheNodes) {
  const ScratchRoot root;
  Zones zones(root);
  Spinner spinner;
  Daemon daemon(root, {.config = "telemetry: {keep: 3s}"});
  daemon.wait_ready();
  SeriesMap page;
  unsigned pages = 0;
  const auto look_until = [&](const std::function<bool()>& so) {
    return eventually([&] {
      page = daemon.scrape().all;
      if (const auto node = node_of(page)) {
        ++pages;
        EXPECT_EQ(parts_of(page), *node);
      }
      return so();
    });
  };
  const auto value = [&](const char* name) { return page.contains(name) ? page.at(name) : -1; };

  EXPECT_TRUE(look_until([&] { return of_spinner(page) > 100; })) << daemon.metrics();
  EXPECT_TRUE(look_until([&] { return zones.wraps() > 0 && value("flowtap_node_joules_total") > 1000; }));
  EXPECT_EQ(value("flowtap_energy_jumps_total"), 0);
  EXPECT_EQ(value("flowtap_energy_source_missing_parts"), 0);
  zones.set_back();
  EXPECT_TRUE(look_until([&] { return value("flowtap_energy_jumps_total") == 1; }));
  zones.lose_package();
  EXPECT_TRUE(look_until([&] { return value("flowtap_energy_source_missing_parts") == 2; }));
  spinner.end();
  EXPECT_TRUE(look_until([&] { return value("flowtap_node_ended_joules_total") > 100; })) << daemon.metrics();
  EXPECT_EQ(of_spinner(page), 0) << "its own series has ended";
  EXPECT_LE(value("flowtap_node_joules_total"), zones.drawn());
  EXPECT_GT(value("flowtap_node_joules_total"), zones.drawn() / 2);
  EXPECT_GT(pages, 10U);
}

}  // namespace
}  // namespace flowtap::test
