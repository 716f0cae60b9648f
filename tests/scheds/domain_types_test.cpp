// Each type of dispatch of scheds/domain, and each of its extras, made on purpose: domain_scenes.hpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "kernel/sched_ext.hpp"
#include "tests/scheds/domain_scenes.hpp"
#include "tests/scheds/hog.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/scheds/run.hpp"

namespace flowtap::test {
namespace {

using Scheduler = scheds::Scheduler;

// One scheduler for all scenes, one after the other: where the machine is emulated it takes longer to start it, and those that
// count beside it, than to play a scene.
class DomainType : public testing::TestWithParam<Scene> {
 protected:
  static constexpr int kMostPlays = 8;

  static void SetUpTestSuite() {
    if (!kernel::read_sched_ext("/sys")) return;
    run_ = run_scheduler("domain", [](Scheduler& scheduler, const CountedSoFar& counted) {
      for (const Scene& scene : domain_scenes()) {
        const std::uint64_t before = counted().at(FTAP_CLASS_EXT).at(scene.slot);
        std::uint64_t& played = played_[scene.name];
        // On a busy machine a CPU is seldom idle at the moment when a scene needs it.
        for (int i = 0; i < kMostPlays && played < scene.least; ++i) {
          scene.play([&scheduler] { scheduler.look_around(); });
          played = counted().at(FTAP_CLASS_EXT).at(scene.slot) - before;
        }
      }
    });
  }

  static inline SchedulerRun run_;
  static inline std::map<std::string, std::uint64_t> played_;  // how often each type happened in its scene
};

TEST_P(DomainType, IsCounted) {
  if (refused_here()) return;
  const Scene& scene = GetParam();
  std::printf("%lu in its scene\n", played_[scene.name]);
  EXPECT_GE(played_[scene.name], scene.least);
  EXPECT_EQ(run_.left_behind, "");
  EXPECT_EQ(run_.sum(), run_.others.switches);
  EXPECT_EQ(run_.of(FTAP_SLOT_TASK_ERRORS), 0U);
}

INSTANTIATE_TEST_SUITE_P(, DomainType, testing::ValuesIn(domain_scenes().begin(), domain_scenes().end()),
                         [](const auto& test) { return test.param.name; });

// These happen all the time anyway. So the effect of the trigger shows in comparison with a run without it, which is as
// long.
class DomainTrigger : public testing::Test {
 protected:
  void play(const std::function<void(bool)>& scene) {
    without_ = run_scheduler("domain", [&scene](Scheduler&) { scene(false); });
    with_ = run_scheduler("domain", [&scene](Scheduler&) { scene(true); });
    for (const SchedulerRun* run : {&without_, &with_}) {
      EXPECT_EQ(run->left_behind, "");
      EXPECT_EQ(run->sum(), run->others.switches);
    }
  }
  // How many more there are with the trigger, give or take what else goes on.
  [[nodiscard]] std::int64_t more(std::size_t slot) const {
    return static_cast<std::int64_t>(with_.of(slot)) - static_cast<std::int64_t>(without_.of(slot));
  }
  // Which part of all wake-ups kept what it had. How many wake-ups there are mostly depends on others.
  [[nodiscard]] double kept(bool with) const {
    const SchedulerRun& run = with ? with_ : without_;
    const auto preset = static_cast<double>(run.of(FTAP_SLOT_DL_PRESET));
    return preset / (preset + static_cast<double>(run.of(FTAP_SLOT_DL_CLAMPED)));
  }

 private:
  SchedulerRun without_;
  SchedulerRun with_;
};

TEST_F(DomainTrigger, WhoseCpuIsHeldGoesToAnIdleOneAtHomeInsteadOfItsOwn) {
  if (refused_here()) return;
  constexpr int kTurns = 300;
  play([](bool held) {
    Hog hog({0});
    as_sleeper([&] {
      settle(0);
      if (held) hog.hold();
      for (int i = 0; i < kTurns; ++i) {
        settle(0);
        allow(0, {0, 1});
        nap();
      }
    });
  });
  EXPECT_GE(more(FTAP_SLOT_EXT_DIRECT), kTurns / 2);
  EXPECT_LE(more(FTAP_SLOT_EXT_PREV_IDLE), -kTurns / 2);
}

TEST_F(DomainTrigger, WhoSleepsWhileItsDomainRunsOnIsClampedElseItKeepsWhatItHas) {
  if (refused_here()) return;
  constexpr int kTurns = 60;
  play([](bool runs_on) { sleep_long(runs_on, kTurns); });
  EXPECT_GE(more(FTAP_SLOT_DL_CLAMPED), kTurns / 2);
  EXPECT_LT(kept(true), kept(false));
}

}  // namespace
}  // namespace flowtap::test
