// Where the scheduler itself puts ordinary tasks, within the bounds that it is given. The machine has 2 NUMA nodes of 2
// cache domains of 2 CPUs each, like that of vmtest/run --topology numa-llc.
//
// While a sleeper sleeps, it is told that it may only use two CPUs elsewhere, and is then woken. It comes from the CPU
// where it ran last, so the distance is known. It gets two CPUs and not one, since with one it would be pinned.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <semaphore>

#include "kernel/topology.hpp"
#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t kRounds = 120;

// Moves a sleeper to and fro between two places, with a wake-up each time. The waker stays awake on a CPU of its own,
// and hogs keep theirs busy. All are ordinary tasks: where the sleeper lands is the scheduler's choice.
void commute(Hands& hands, const Cpus& here, const Cpus& there, const Cpus& waker, const Cpus& hogs) {
  auto* over = new std::atomic<bool>(false);
  for (const int cpu : hogs)
    hands.thread([=] {
      pin_to({cpu});
      while (!over->load(std::memory_order_relaxed)) relax();
    });
  auto* wake =
      new std::binary_semaphore(0);  // never destroyed: the threads stay, asleep, until they are killed
  auto* sleeper = new std::atomic<pid_t>(0);
  hands.thread([=] {
    sleeper->store(static_cast<pid_t>(::syscall(SYS_gettid)));
    sleeper->notify_one();
    for (std::uint64_t i = 0; i < kRounds; ++i) wake->acquire();
  });
  hands.thread([=] {
    pin_to(waker);
    sleeper->wait(0);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      while (!asleep(*sleeper)) relax();
      allow(*sleeper, i % 2 == 0 ? here : there);
      wake->release();
    }
    over->store(true);
  });
  hands.wait();
}

struct Distance {
  const char* name;
  Cpus here;
  Cpus there;
  std::size_t idle;
  std::size_t queued;
};

// CPUs 0-3 are node 0 with caches {0,1} {2,3}, 4-7 node 1 with {4,5} {6,7}.
const std::array kDistances = {
    Distance{"node", {0, 1}, {2, 3}, FTAP_SLOT_IDLE_NODE, FTAP_SLOT_QUEUED_NODE},
    Distance{"xnuma", {0, 1}, {4, 5}, FTAP_SLOT_IDLE_XNUMA, FTAP_SLOT_QUEUED_XNUMA},
};

TEST(Placement, TheMachineIsTheOneThatIsNeeded) {
  const auto t = kernel::read_topology("/sys");
  ASSERT_TRUE(t) << t.error().what;
  const std::vector<kernel::CpuPlace> expected = {{0, 0}, {0, 0}, {2, 0}, {2, 0},
                                                  {4, 1}, {4, 1}, {6, 1}, {6, 1}};
  ASSERT_EQ(t->places, expected) << "run it as: vmtest/run placement";
}

TEST(Placement, MovesAreTypedByTheirDistance) {
  for (const Distance& d : kDistances) {
    SCOPED_TRACE(d.name);
    const auto o = count_crew([&d](Hands& hands) { commute(hands, d.here, d.there, {7}, {}); });
    EXPECT_EQ(o.sum(), o.switches.sum());
    // Every wake-up but the first comes from the other place; on the way the sleeper may be pulled on within the pair.
    EXPECT_GE(o.of(d.idle) + o.of(d.queued) + o.pulled(), kRounds - 1);
    EXPECT_GE(o.of(d.idle) + o.of(d.queued), kRounds * 9 / 10);
    for (const Distance& other : kDistances)
      if (other.idle != d.idle) {
        EXPECT_LE(o.of(other.idle) + o.of(other.queued), 20U) << other.name << ": only while it starts";
      }
  }
}

// The waker never sleeps and the two CPUs have nothing else to do.
TEST(Placement, AnIdleCpuAndAWakerThatStaysAwake) {
  const auto o = count_crew([](Hands& hands) { commute(hands, {0, 1}, {0, 1}, {7}, {}); });
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_GE(o.of(FTAP_SLOT_PREV_IDLE) + o.of(FTAP_SLOT_IDLE_LLC), kRounds * 9 / 10);
  EXPECT_GE(o.of(FTAP_SLOT_PREV_IDLE), kRounds / 2) << "the previous CPU is idle, and warm";
  EXPECT_LE(o.of(FTAP_SLOT_QUEUED) + o.of(FTAP_SLOT_QUEUED_LLC) + o.of(FTAP_SLOT_WAKE_PREEMPT), kRounds / 10);
}

// Both CPUs that the sleeper may use are busy all the time.
TEST(Placement, ABusyCpuIsWaitedForOrTaken) {
  const auto o = count_crew([](Hands& hands) { commute(hands, {0, 1}, {0, 1}, {7}, {0, 1}); });
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_GE(o.of(FTAP_SLOT_QUEUED) + o.of(FTAP_SLOT_QUEUED_LLC) + o.of(FTAP_SLOT_WAKE_PREEMPT) + o.pulled(),
            kRounds * 9 / 10);
  EXPECT_LE(o.of(FTAP_SLOT_PREV_IDLE) + o.of(FTAP_SLOT_IDLE_LLC), kRounds / 10);
}

TEST(Placement, WithinACacheDomainIsLlc) {
  // Nobody keeps either of the two CPUs under one cache busy, so wake-ups land on the one or the other. The only
  // certainty is that nothing goes further than the cache.
  const auto o = count_crew([](Hands& hands) { ping_pong(hands, 3000, {0, 1}, {0, 1}); });
  EXPECT_EQ(o.sum(), o.switches.sum());
  const std::uint64_t far = o.of(FTAP_SLOT_IDLE_NODE) + o.of(FTAP_SLOT_IDLE_XNUMA) +
                            o.of(FTAP_SLOT_QUEUED_NODE) + o.of(FTAP_SLOT_QUEUED_XNUMA) +
                            o.of(FTAP_SLOT_PULLED_NODE) + o.of(FTAP_SLOT_PULLED_XNUMA);
  EXPECT_LE(far, 20U) << "only before the two have taken their places";
}

}  // namespace
}  // namespace flowtap::test
