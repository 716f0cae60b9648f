// Dispatches made and dispatches served, counted by a whole daemon. It counts all tasks of the machine, so what a crew made is a
// lower bound, and the kernel's own count of all context switches is an upper one.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json.hpp>
#include <sstream>

#include "tests/node/daemon/dispatched.hpp"
#include "tests/node/daemon/switching.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

constexpr int kRounds = 100'000;

TEST(DaemonDispatch, ServesWhatACrewMadeAndNoMoreThanTheMachine) {
  const ScratchRoot root;
  Daemon daemon(root, {.flags = {"--cycle", "10ms"}});
  daemon.wait_ready();
  Crew crew([](Hands& hands) { ping_pong(hands, kRounds); });
  const SwitchCounts crew_before = crew.quiesce();

  const double machine_before = machine_switches();
  const SeriesMap before = daemon.settled_stats().series;
  const PromPage page_before = daemon.scrape();
  crew.go();
  ASSERT_TRUE(eventually([&crew] { return !crew.busy(); }));
  const SwitchCounts crew_after = crew.quiesce();
  const SeriesMap after = daemon.settled_stats().series;
  const PromPage page_after = daemon.scrape();
  const double machine = machine_switches() - machine_before;

  const auto made = static_cast<double>(crew_after.sum() - crew_before.sum());
  const auto grew = [](const SeriesMap& from, const SeriesMap& to) {
    return sum_of(to, kDispatched) - sum_of(from, kDispatched);
  };
  std::printf("crew %.0f <= /api %.0f, /metrics %.0f <= machine %.0f\n", made, grew(before, after),
              grew(page_before.all, page_after.all), machine);
  EXPECT_GE(made, 2.0 * kRounds);
  EXPECT_GE(grew(before, after), made);
  EXPECT_LE(grew(before, after), machine);
  EXPECT_GE(grew(page_before.all, page_after.all), made);
  EXPECT_LE(grew(page_before.all, page_after.all), machine);
  // By type: a round cannot end unless one of the two has slept, and it is woken on the one CPU that it may use. (Not each
  // voluntary switch is of this kind: the two, and whoever waits for them, sleep before they are pinned, too.)
  const auto typed = [&](const char* type) {
    return after.at(dispatched(type)) - before.at(dispatched(type));
  };
  EXPECT_GE(typed("pinned") + typed("unobserved"), kRounds - 2);
}

// The sum of the deltas of one counter over all lines.
double sum_of_deltas(const std::string& lines, const std::string& name) {
  double sum = 0;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const auto object = boost::json::parse(line);
    for (const auto& series : object.at("series").as_array())
      if (series.at("name").as_string() == name) sum += series.at("delta").to_number<double>();
  }
  return sum;
}

TEST(DaemonDispatch, TheLastCycleIsReportedAtTheStop) {
  const ScratchRoot root;
  // After the first cycle there is no other until the stop.
  Daemon daemon(root, {.flags = {"--cycle", "1m", "--json-lines", root.file("lines")}});
  const double served = sum_of(daemon.wait_ready().scrape().all, kDispatched);
  Crew crew([](Hands& hands) { ping_pong(hands, kRounds); });
  const SwitchCounts before = crew.quiesce();
  crew.go();
  ASSERT_TRUE(eventually([&crew] { return !crew.busy(); }));
  const SwitchCounts after = crew.quiesce();
  EXPECT_EQ(sum_of(daemon.scrape().all, kDispatched), served) << "there was a cycle in between";

  daemon.signal(SIGTERM);
  ASSERT_EQ(daemon.wait(), 0) << daemon.err();
  EXPECT_GE(sum_of_deltas(root.read("lines"), kDispatched),
            served + static_cast<double>(after.sum() - before.sum()));
}

TEST(DaemonDispatch, EachObservedDispatchHasOneLatency) {
  const ScratchRoot root;
  // While flowtapd counts, a slot may be read a moment before its sibling. So the two sums are compared over a whole run: what a
  // moment adds to one of them, the next cycle adds to the other.
  Daemon daemon(root, {.flags = {"--cycle", "10ms"}});
  daemon.wait_ready();
  Crew crew([](Hands& hands) { ping_pong(hands, kRounds); });
  crew.go();
  ASSERT_TRUE(eventually([&crew] { return !crew.busy(); }));
  double difference = 0;
  const bool equal = eventually([&] {
    const SeriesMap now = daemon.stats().series;
    const double observed = sum_of(now, kDispatched) - now.at(dispatched("unobserved"));
    difference = observed - sum_of(now, "flowtap_run_queue_latency_seconds_count");
    return difference == 0;
  });
  EXPECT_TRUE(equal) << "they differ by " << difference;
}

}  // namespace
}  // namespace flowtap::test
