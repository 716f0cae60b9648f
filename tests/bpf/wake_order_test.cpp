// Types of wake-ups that depend on the order of the switches: who slept when, and who waited. The machine is that of
// wake_types_test.cpp, and so are the actors.
#include <gtest/gtest.h>

#include <memory>

#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t kRounds = 60;

class WakeOrder : public testing::Test {
 protected:
  static void SetUpTestSuite() { no_throttling(); }
};

// The waker loses its own CPU to the task that it has woken, but stays runnable: it did not go to sleep, so this is no
// wsync.
TEST_F(WakeOrder, WakePreemptIsAlsoWhoTakesTheWakersCpu) {
  const Outcome o = count_crew([](Hands& hands) {
    allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor waker(hands, {0}, kFair, &sleeper);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      sleeper.allow({0, 1});
      waker.cue();
      waker.rest();
      sleeper.rest();
    }
    for (const Actor* actor : {&sleeper, &waker}) actor->leave();
    hands.wait();
  });
  expect_alone(o, FTAP_SLOT_WAKE_PREEMPT, kRounds);
}

// The sleeper takes the CPU from a task that stays runnable, but not at its wake-up: it waited while others had the
// CPU, until the hog's priority sank below its own.
TEST_F(WakeOrder, QueuedIsAlsoWhoPreemptsAfterAWait) {
  const Outcome o = count_crew([](Hands& hands) {
    allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor hog(hands, {0}, kHog);
    Actor other(hands, {1}, kHog);
    Actor first(hands, {0}, kFirst);
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
  expect_alone(o, FTAP_SLOT_QUEUED, kRounds);
}

// The waker outranks the sleeper on their CPU, and goes to sleep as soon as it has woken it.
TEST_F(WakeOrder, WsyncIsTheWakersCpu) {
  const Outcome o = count_crew([](Hands& hands) {
    allow(0, {kDirector});
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
  expect_alone(o, FTAP_SLOT_WSYNC, kRounds);
}

// The waker has gone to sleep on another CPU before the sleeper comes to its own, which is idle by then. To make that
// certain, the sleeper is first queued, moved behind another hog, and brought back once its CPU is idle. A filler takes the waker's
// CPU over and keeps it: with a second switch there, of a thread of the kernel say, it could no longer be told who woke the sleeper.
TEST_F(WakeOrder, WsyncPrevIdleIsTheIdlePreviousCpu) {
  const Outcome o = count_crew([](Hands& hands) {
    allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor waker(hands, {4}, kHog, &sleeper);
    Actor hog(hands, {0}, kHog);
    Actor other(hands, {2}, kHog);
    Actor filler(hands, {4}, kSleeper);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      hog.hold();
      other.hold();
      filler.hold();
      sleeper.allow({0, 2});
      waker.cue();
      waker.rest();
      sleeper.allow({2});
      hog.let_go();
      hog.rest();
      sleeper.allow({0, 1});  // the kernel goes round: after 2 comes 0
      sleeper.rest();
      for (Actor* actor : {&other, &filler}) {
        actor->let_go();
        actor->rest();
      }
    }
    for (const Actor* actor : {&sleeper, &waker, &hog, &other, &filler}) actor->leave();
    hands.wait();
  });
  expect_alone(o, FTAP_SLOT_WSYNC_PREV_IDLE, kRounds);
}

// Nobody has seen it come to its CPU, but that is no reason to count it: it came before the count.
TEST_F(WakeOrder, WhoRanWhenTheProgramsCameWasNotDispatched) {
  const auto hog = std::make_shared<std::unique_ptr<Actor>>();
  const Outcome o = count_crew(
      [hog](Hands& hands) {
        (*hog)->cue();
        (*hog)->rest();
        (*hog)->leave();
        hands.wait();
      },
      {.before =
           [hog](Hands& hands) {
             allow(0, {kDirector});
             *hog = std::make_unique<Actor>(hands, Cpus{0}, kHog);
             (*hog)->hold();
           },
       .prepare =
           [hog](Hands&) {
             (*hog)->let_go();
             (*hog)->rest();
           }});
  EXPECT_EQ(o.prepared.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_UNOBSERVED), 0U);
  EXPECT_EQ(o.sum(), o.switches.sum());
  EXPECT_EQ(o.of(FTAP_SLOT_UNOBSERVED), 0U);
}

}  // namespace
}  // namespace flowtap::test
