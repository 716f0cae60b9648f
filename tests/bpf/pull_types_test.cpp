// The types of tasks that were moved while they waited, each made on purpose and without any other. The machine is that
// of wake_types_test.cpp, and so are the actors.
//
// A task waits behind a hog of higher priority, and is told that it may only use one CPU elsewhere. That does not make
// it pinned: the question whether it was moved comes first.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t kRounds = 60;

struct Move {
  const char* name;
  std::size_t type;
  int to;  ///< from CPU 0
};

std::ostream& operator<<(std::ostream& out, const Move& move) {
  return out << move.name;
}

class PullType : public testing::TestWithParam<Move> {
 protected:
  static void SetUpTestSuite() { no_throttling(); }

  static void expect_alone(const Outcome& o) {
    EXPECT_EQ(o.sum(), o.switches.sum());
    EXPECT_EQ(o.of(FTAP_SLOT_UNOBSERVED), 0U);
    EXPECT_GE(o.of(GetParam().type), kRounds * 9 / 10);
    EXPECT_LE(o.of(GetParam().type), kRounds * 11 / 10 + 4) << "moved once, pulled once";
    EXPECT_LE(o.pulled(), o.of(GetParam().type) + 10U) << "others only while it starts";
  }
};

TEST_P(PullType, WokenAndMovedBeforeItRan) {
  expect_alone(count_crew([to = GetParam().to](Hands& hands) {
    allow(0, {kDirector});
    Actor sleeper(hands, {0}, kSleeper);
    Actor hog(hands, {0}, kHog);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      sleeper.visit(0);
      hog.hold();
      sleeper.cue();
      sleeper.allow({to});
      sleeper.rest();
      hog.let_go();
      hog.rest();
    }
    sleeper.leave();
    hog.leave();
    hands.wait();
  }));
}

// Where it was moved to, another task passes by: it is put off again and comes back, which is no second pull.
TEST_P(PullType, PreemptedAndMovedBeforeItCameBack) {
  expect_alone(count_crew([to = GetParam().to](Hands& hands) {
    allow(0, {kDirector});
    Actor runner(hands, {0}, kSleeper);
    Actor hog(hands, {0}, kHog);
    Actor passer(hands, {to}, kHog);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      runner.allow({0});
      runner.hold();
      hog.hold();
      runner.allow({to});
      passer.cue();
      passer.rest();
      runner.let_go();
      runner.rest();
      hog.let_go();
      hog.rest();
    }
    for (const Actor* actor : {&runner, &hog, &passer}) actor->leave();
    hands.wait();
  }));
}

INSTANTIATE_TEST_SUITE_P(, PullType,
                         testing::Values(Move{"pulled_llc", FTAP_SLOT_PULLED_LLC, 1},
                                         Move{"pulled_node", FTAP_SLOT_PULLED_NODE, 2},
                                         Move{"pulled_xnuma", FTAP_SLOT_PULLED_XNUMA, 4}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace flowtap::test
