// CPU cycles by cgroup. These machines have no cycle counter, so each CPU's own clock is counted: its nanoseconds go
// the same way, and their sum is known.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/bpf/accounted.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using kernel::CycleCounters;
using kernel::CycleEvent;

using Counters = std::shared_ptr<const CycleCounters>;

Counters clocks(const kernel::Topology& topology = kernel::read_topology("/sys").value()) {
  return std::make_shared<const CycleCounters>(CycleCounters::open(topology, CycleEvent::clock()).value());
}

// The cycles of whatever ran, without the idle tasks.
std::uint64_t cycles_of_all(kernel::UsageReader& usage) {
  EXPECT_TRUE(usage.look());
  std::uint64_t sum = usage.read(FTAP_GROUP_OTHER).cycles;
  const auto numbered = usage.numbered();
  EXPECT_TRUE(numbered);
  for (const auto& cgroup : *numbered) sum += usage.read(cgroup.group).cycles;
  return sum;
}

std::uint64_t shown_by(const CycleCounters& counters) {
  std::uint64_t sum = 0;
  for (const int cpu : online_cpus()) sum += counters.read(static_cast<std::size_t>(cpu)).value();
  return sum;
}

// A number that this process and its children see. It stays until this process ends.
std::atomic<std::size_t>& shared_number() {
  void* const page = ::mmap(nullptr, sizeof(std::atomic<std::size_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no memory");
  return *new (page) std::atomic<std::size_t>(0);
}

// Starts two tasks for each CPU, so that none is idle, and each is soon switched away from. `begun` is how many are where they
// stay.
void keep_busy(Hands& hands, const std::function<void()>& work, std::atomic<std::size_t>* begun = nullptr) {
  for (const int cpu : online_cpus())
    for (int i = 0; i < 2; ++i)
      hands.thread([cpu, work, begun] {
        pin_to({cpu});
        if (begun != nullptr) ++*begun;
        work();
      });
}

TEST(UsageCycles, OfAllThatRunIsWhatTheCountersShow) {
  std::atomic<std::size_t>& begun = shared_number();
  Crew crew([&begun](Hands& hands) {
    keep_busy(
        hands,
        [&hands] {
          while (hands.wanted()) spin(1ms);
        },
        &begun);
    hands.wait();
  });
  const Counters counters = clocks();
  const kernel::DispatchLive live = attach_usage(1024, counters);
  kernel::UsageReader usage = live.usage().value();
  crew.want_more(true);
  crew.go();
  ASSERT_TRUE(eventually([&] { return begun == 2 * online_cpus().size(); }));
  // Before and after each reading, as this may lose its CPU in between.
  const std::uint64_t before_first = shown_by(*counters);
  const std::uint64_t before = cycles_of_all(usage);
  const std::uint64_t after_first = shown_by(*counters);
  std::this_thread::sleep_for(
      4s);  // the turns that are open at its ends are 3 % of it: in less time, more would be left out
  const std::uint64_t before_last = shown_by(*counters);
  const std::uint64_t counted = cycles_of_all(usage) - before;
  const std::uint64_t after_last = shown_by(*counters);
  const bool whole = usage.counts_cycles();
  crew.want_more(false);
  crew.finish();
  const std::uint64_t least = before_last - after_first;
  const std::uint64_t most = after_last - before_first;
  std::printf("the CPUs' clocks went %.3f to %.3f ms, whoever ran had %.3f\n",
              static_cast<double>(least) * 1e-6, static_cast<double>(most) * 1e-6,
              static_cast<double>(counted) * 1e-6);
  // On each CPU a turn is not over at either end, and nobody looks at one of less than 50 ms.
  constexpr std::uint64_t kOpenTurns = std::chrono::nanoseconds(2 * 60ms).count();
  EXPECT_GT(least, 3'900'000'000U * online_cpus().size());
  EXPECT_GE(counted + kOpenTurns * online_cpus().size(), least);
  EXPECT_LE(counted, most + kOpenTurns * online_cpus().size());
  EXPECT_TRUE(whole);
}

TEST(UsageCycles, OfACgroupAreThoseOfItsTime) {
  Crew crew({[](Hands&) {},
             [](Hands& hands) {
               keep_busy(hands, [] { spin(300ms); });
               hands.wait();
             }});
  const kernel::DispatchLive live = attach_usage(1024, clocks());
  const kernel::UsageReader usage = live.usage().value();
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  const auto group = usage.group_of(crew.cgroup_id());
  ASSERT_TRUE(group);
  const kernel::GroupUsage before = usage.read(*group);
  crew.go();
  crew.finish();
  (void)crew.quiesce();
  const kernel::GroupUsage after = usage.read(*group);
  const auto ran = static_cast<double>(after.run_ns - before.run_ns);
  const auto cycles = static_cast<double>(after.cycles - before.cycles);
  std::printf("%.3f ms of %.3f ms\n", cycles * 1e-6, ran * 1e-6);
  EXPECT_GE(ran, 600e6 * static_cast<double>(online_cpus().size()));
  // A CPU's clock goes on where the kernel charges nobody: in interrupts, and while a virtual CPU stands still. At each switch
  // the kernel and the program read their clocks one after the other, and a virtual CPU may stand still in between, too.
  EXPECT_GE(cycles, 0.95 * ran);
  EXPECT_LE(cycles, 2 * ran);
}

TEST(UsageCycles, OfWhatHasItsCpuToItselfGoOnWithoutASwitch) {
  Crew crew([](Hands& hands) {
    hands.thread([&hands] {
      pin_to({online_cpus().back()});
      while (hands.wanted()) spin(1ms);
    });
    hands.wait();
  });
  const kernel::DispatchLive live = attach_usage(1024, clocks());
  kernel::UsageReader usage = live.usage().value();
  crew.want_more(true);
  crew.go();
  kernel::GroupUsage now;
  ASSERT_TRUE(eventually([&] {
    EXPECT_TRUE(usage.look());
    const auto group = usage.group_of(crew.cgroup_id());
    if (group) now = usage.read(*group);
    return now.run_ns > 300'000'000U;
  }));
  EXPECT_TRUE(usage.counts_cycles());
  crew.want_more(false);
  crew.finish();
  // A task that runs for less than 50 ms gets its cycles at its next switch.
  EXPECT_GT(now.cycles + 60'000'000, now.run_ns);
}

TEST(UsageCycles, AreNotWholeWhereACpuHasNoCounter) {
  auto topology = kernel::read_topology("/sys").value();
  if (topology.online < 2) GTEST_SKIP() << "one CPU is not all";
  topology.online_list = "0";
  const kernel::DispatchLive live = attach_usage(1024, clocks(topology));
  kernel::UsageReader usage = live.usage().value();
  ASSERT_TRUE(usage.look());
  Crew crew([](Hands& hands) {
    keep_busy(hands, [] { spin(50ms); });
    hands.wait();
  });
  crew.go();
  crew.finish();
  ASSERT_TRUE(usage.look());
  EXPECT_FALSE(usage.counts_cycles());
}

TEST(UsageCycles, AreNotCountedUnlessAskedFor) {
  Crew crew([](Hands&) { spin(50ms); });
  const kernel::DispatchLive live = attach_usage();
  kernel::UsageReader usage = live.usage().value();
  crew.go();
  crew.finish();
  EXPECT_EQ(cycles_of_all(usage), 0U);
  EXPECT_FALSE(usage.counts_cycles());
}

// On a machine that has cycle counters these are cycles; otherwise it says that it has none.
TEST(UsageCycles, OfTheHardwareAreThereOrSaidToBeMissing) {
  const auto counters = CycleCounters::open(kernel::read_topology("/sys").value(), CycleEvent::hardware());
  if (!counters) {
    std::printf("%s\n", counters.error().what.c_str());
    EXPECT_FALSE(counters.error().what.empty());
    return;
  }
  const std::uint64_t before = shown_by(*counters);
  spin(50ms);
  EXPECT_GT(shown_by(*counters) - before, 10'000'000U);
}

}  // namespace
}  // namespace flowtap::test
