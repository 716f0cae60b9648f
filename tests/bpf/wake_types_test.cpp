// The types of wake-ups, each made on purpose and alone: on a machine with 2 NUMA nodes of 2 cache domains of 2 CPUs
// each, as vmtest/run --topology numa-llc has it: node 0 with caches {0,1} {2,3}, node 1 with {4,5} {6,7}.
//
// The order on the CPUs is made certain by priorities (tests/bpf/stage.hpp). The sleeper may use two CPUs, never one,
// as it would be pinned otherwise; everybody else is.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>

#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap {
namespace {

using test::Actor;
using test::Cpus;
using test::Hands;
using test::kFair;
using test::kHog;
using test::kSleeper;
using test::Outcome;

constexpr std::uint64_t kRounds = 60;
constexpr int kDirector = 7;

struct Scene {
  const char* name;
  std::size_t type;
  int previous;     ///< where the sleeper ran last
  Cpus allowed;     ///< where it may run when it is woken; it is queued on the first
  Cpus held;        ///< CPUs that hogs keep
  int hogs = kHog;  ///< their priority
};

std::ostream& operator<<(std::ostream& out, const Scene& scene) {
  return out << scene.name;
}

void play(Hands& hands, const Scene& scene) {
  test::allow(0, {kDirector});
  Actor sleeper(hands, {scene.previous}, kSleeper);
  std::vector<std::unique_ptr<Actor>> hogs;
  for (const int cpu : scene.held) hogs.push_back(std::make_unique<Actor>(hands, Cpus{cpu}, scene.hogs));
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    sleeper.visit(scene.previous);
    for (const auto& hog : hogs) hog->hold();
    sleeper.allow(scene.allowed);
    sleeper.cue();
    // One by one: an idle CPU would pull the sleeper over.
    if (!hogs.empty() && scene.hogs > kSleeper) hogs.front()->let_go();
    sleeper.rest();
    for (const auto& hog : hogs) hog->let_go();
    for (const auto& hog : hogs) hog->rest();
  }
  sleeper.leave();
  for (const auto& hog : hogs) hog->leave();
  hands.wait();
}

void expect_alone(const Outcome& o, std::size_t type) {
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_EQ(o.of(FTAP_SLOT_UNOBSERVED), 0U);
  EXPECT_GE(o.of(type), kRounds * 8 / 10);
  EXPECT_LE(o.woken_or_new() + o.pulled() - o.of(FTAP_SLOT_NEW) - o.of(FTAP_SLOT_PINNED), o.of(type) + 20U)
      << "others only while it starts";
}

class WakeType : public testing::TestWithParam<Scene> {
 protected:
  static void SetUpTestSuite() { test::no_throttling(); }
};

TEST_P(WakeType, IsMadeAlone) {
  const Scene& scene = GetParam();
  expect_alone(test::count_crew([&scene](Hands& hands) { play(hands, scene); }), scene.type);
}

INSTANTIATE_TEST_SUITE_P(, WakeType,
                         testing::Values(Scene{"prev_idle", FTAP_SLOT_PREV_IDLE, 0, {0, 1}, {}},
                                         Scene{"idle_llc", FTAP_SLOT_IDLE_LLC, 0, {1, 2}, {}},
                                         Scene{"idle_node", FTAP_SLOT_IDLE_NODE, 0, {2, 3}, {}},
                                         Scene{"idle_xnuma", FTAP_SLOT_IDLE_XNUMA, 0, {4, 5}, {}},
                                         Scene{"wake_preempt", FTAP_SLOT_WAKE_PREEMPT, 0, {0, 1}, {0}, kFair},
                                         Scene{"queued", FTAP_SLOT_QUEUED, 0, {0, 1}, {0, 1}},
                                         Scene{"queued_llc", FTAP_SLOT_QUEUED_LLC, 0, {1, 2}, {1, 2}},
                                         Scene{"queued_node", FTAP_SLOT_QUEUED_NODE, 0, {2, 3}, {2, 3}},
                                         Scene{"queued_xnuma", FTAP_SLOT_QUEUED_XNUMA, 0, {4, 5}, {4, 5}}),
                         [](const auto& test) { return test.param.name; });

// The sleeper takes the CPU from a task that stays runnable, but not at its wake-up: it waited while others had the
// CPU, until the hog sank below it.
TEST_F(WakeType, QueuedIsAlsoWhoPreemptsAfterAWait) {
  const Outcome o = test::count_crew([](Hands& hands) {
    test::allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor hog(hands, {0}, kHog);
    Actor other(hands, {1}, kHog);
    Actor first(hands, {0}, test::kFirst);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      hog.hold();
      other.hold();
      sleeper.allow({0, 1});
      sleeper.cue();
      first.cue();
      first.rest();
      hog.rank(kSleeper - 1);
      sleeper.rest();
      hog.rank(kHog);
      for (Actor* actor : {&hog, &other}) {
        actor->let_go();
        actor->rest();
      }
    }
    for (const Actor* actor : {&sleeper, &hog, &other, &first}) actor->leave();
    hands.wait();
  });
  expect_alone(o, FTAP_SLOT_QUEUED);
}

// The waker outranks the sleeper on their CPU, and goes to sleep as soon as it has woken it.
TEST_F(WakeType, WsyncIsTheWakersCpu) {
  const Outcome o = test::count_crew([](Hands& hands) {
    test::allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor waker(hands, {0}, kHog, &sleeper);
    Actor hog(hands, {1}, kHog);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      hog.hold();
      sleeper.allow({0, 1});
      waker.cue();
      waker.rest();
      sleeper.rest();
      hog.let_go();
      hog.rest();
    }
    for (const Actor* actor : {&sleeper, &waker, &hog}) actor->leave();
    hands.wait();
  });
  expect_alone(o, FTAP_SLOT_WSYNC);
}

// The waker has gone to sleep on another CPU before the sleeper comes to its own, which is idle by then. For that to
// be certain the sleeper is first queued, moved behind another hog, and brought back once its CPU is idle.
TEST_F(WakeType, WsyncPrevIdleIsTheIdlePreviousCpu) {
  const Outcome o = test::count_crew([](Hands& hands) {
    test::allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor waker(hands, {4}, kHog, &sleeper);
    Actor hog(hands, {0}, kHog);
    Actor other(hands, {2}, kHog);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      hog.hold();
      other.hold();
      sleeper.allow({0, 2});
      waker.cue();
      waker.rest();
      sleeper.allow({2});
      hog.let_go();
      hog.rest();
      sleeper.allow({0, 1});  // the kernel goes round: after 2 it is the turn of 0
      sleeper.rest();
      other.let_go();
      other.rest();
    }
    for (const Actor* actor : {&sleeper, &waker, &hog, &other}) actor->leave();
    hands.wait();
  });
  expect_alone(o, FTAP_SLOT_WSYNC_PREV_IDLE);
}

}  // namespace
}  // namespace flowtap
