#include "scheds/lib/keeper.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace flowtap::scheds {
namespace {

using namespace std::chrono_literals;
using Clock = Keeper::Clock;

// What the kernel does to schedulers, as a script.
struct Kernel {
  std::optional<Exit> exit;     // of the running scheduler
  std::deque<Status> refusals;  // of the next starts; empty: all succeed
  unsigned starts = 0;
  unsigned alive = 0;
  unsigned looks = 0;
  std::uint64_t counted = 0;  // since the last reading
};

class Slots final : public stats::SlotSource {
 public:
  explicit Slots(Kernel& kernel) : kernel_(kernel) {}
  void take(stats::SlotCounts& counts) override {
    counts.at(FTAP_CLASS_EXT).at(FTAP_SLOT_EXT_DSQ) += std::exchange(kernel_.counted, 0);
  }

 private:
  Kernel& kernel_;
};

class Scripted final : public Scheduler {
 public:
  explicit Scripted(Kernel& kernel) : kernel_(kernel) { ++kernel_.alive; }
  Scripted(const Scripted&) = delete;
  Scripted& operator=(const Scripted&) = delete;
  ~Scripted() override { --kernel_.alive; }
  std::string_view name() const override { return "scripted"; }
  Result<std::unique_ptr<stats::SlotSource>> slots() const override {
    return std::make_unique<Slots>(kernel_);
  }
  std::optional<Exit> exited() const override { return kernel_.exit; }
  void look_around() override { ++kernel_.looks; }

 private:
  Kernel& kernel_;
};

struct KeeperTest : testing::Test {
  Result<Keeper> start() {
    return Keeper::start(
        "scripted",
        [this]() -> Result<std::unique_ptr<Scheduler>> {
          ++kernel.starts;
          if (!kernel.refusals.empty()) {
            Status refusal = std::move(kernel.refusals.front());
            kernel.refusals.pop_front();
            if (!refusal) return std::unexpected(refusal.error());
          }
          kernel.exit.reset();
          return std::make_unique<Scripted>(kernel);
        },
        now);
  }

  static Exit bad() { return {.kind = "error_stall", .sentence = "runnable task stall"}; }

  static std::uint64_t taken(Keeper& keeper) {
    stats::SlotCounts counts{};
    keeper.take(counts);
    return counts.at(FTAP_CLASS_EXT).at(FTAP_SLOT_EXT_DSQ);
  }

  Kernel kernel;
  Clock::time_point now{1h};
};

TEST_F(KeeperTest, WhatCannotStartIsToldAndNotTriedAgain) {
  kernel.refusals.emplace_back(fail("this kernel has no sched_ext", "take another"));
  const auto keeper = start();
  ASSERT_FALSE(keeper);
  EXPECT_EQ(keeper.error().what, "this kernel has no sched_ext");
  EXPECT_EQ(kernel.starts, 1U);
}

TEST_F(KeeperTest, WhileItRunsThereIsNothingToTell) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  EXPECT_EQ(keeper->look_around(now), "");
  EXPECT_EQ(kernel.looks, 1U);
  EXPECT_TRUE(keeper->running());
  EXPECT_TRUE(keeper->health());
}

TEST_F(KeeperTest, ABadEndIsToldCountedAndFollowedByGrowingPauses) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  for (std::chrono::seconds pause = 1s; pause < 32s; pause *= 2) {
    kernel.exit = bad();
    const std::string news = keeper->look_around(now);
    EXPECT_EQ(news,
              "the kernel ended the scheduler scripted (error_stall): runnable task stall; next try in " +
                  std::to_string(pause.count()) + " s");
    EXPECT_FALSE(keeper->running());
    EXPECT_FALSE(keeper->given_up());
    EXPECT_EQ(kernel.alive, 0U);
    const unsigned starts = kernel.starts;
    EXPECT_EQ(keeper->look_around(now + pause - 1ms), "");
    EXPECT_EQ(kernel.starts, starts);
    now += pause;
    EXPECT_EQ(keeper->look_around(now), "the scheduler scripted runs again");
    EXPECT_TRUE(keeper->health());
  }
  kernel.exit = bad();
  const std::string last = keeper->look_around(now);
  EXPECT_TRUE(last.contains("it ended 6 times and is not tried again")) << last;
  EXPECT_TRUE(keeper->given_up());
  EXPECT_FALSE(keeper->health());
  EXPECT_EQ(keeper->exits().at("error_stall"), 6U);
  EXPECT_EQ(keeper->look_around(now + 24h), "");
  EXPECT_EQ(kernel.starts, 6U);
}

TEST_F(KeeperTest, AGoodRunInBetweenBeginsThePausesAnew) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  for (int i = 0; i < 20; ++i) {
    now += Keeper::kGoodRun;
    kernel.exit = bad();
    EXPECT_TRUE(keeper->look_around(now).ends_with("next try in 1 s"));
    now += 1s;
    (void)keeper->look_around(now);
    ASSERT_TRUE(keeper->running()) << i;
  }
}

TEST_F(KeeperTest, ACpuThatComesOrGoesRestartsItAtOnceAndIsNoFailure) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  for (unsigned i = 0; i < 2 * Keeper::kMostFailures; ++i) {
    kernel.exit = Exit{.kind = "unreg_kern", .restart = true, .sentence = "cpu 1 going offline"};
    EXPECT_TRUE(keeper->look_around(now).ends_with("started anew"));
    EXPECT_TRUE(keeper->running());
  }
  EXPECT_EQ(keeper->exits().at("unreg_kern"), 2 * Keeper::kMostFailures);
}

TEST_F(KeeperTest, ARestartThatIsRefusedIsTriedAgain) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  kernel.exit = Exit{.kind = "unreg_kern", .restart = true, .sentence = "cpu 1 going offline"};
  kernel.refusals.emplace_back(fail("the kernel refused"));
  EXPECT_EQ(keeper->look_around(now), "the kernel refused; next try in 1 s");
  EXPECT_EQ(keeper->look_around(now + 1s), "the scheduler scripted runs again");
}

TEST_F(KeeperTest, WhatIsStoppedAmidAPauseStaysSo) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  kernel.exit = bad();
  (void)keeper->look_around(now);
  keeper->stop();
  EXPECT_EQ(keeper->look_around(now + 1h), "");
  EXPECT_EQ(kernel.starts, 1U);
}

TEST_F(KeeperTest, WhoeverEndsItOnPurposeIsNotContradicted) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  kernel.exit = Exit{.kind = "sysrq", .wanted = true, .sentence = "disabled by sysrq-S"};
  EXPECT_TRUE(keeper->look_around(now).contains("somebody asked for that"));
  EXPECT_TRUE(keeper->given_up());
  EXPECT_EQ(keeper->look_around(now + 1h), "");
}

TEST_F(KeeperTest, NoCountOfARunThatIsOverIsLostOrDoubled) {
  auto keeper = start();
  ASSERT_TRUE(keeper);
  kernel.counted = 3;
  EXPECT_EQ(taken(*keeper), 3U);
  kernel.counted = 4;
  kernel.exit = bad();
  (void)keeper->look_around(now);
  EXPECT_EQ(taken(*keeper), 4U);
  EXPECT_EQ(taken(*keeper), 0U);
  (void)keeper->look_around(now + 1s);
  kernel.counted = 5;
  keeper->stop();
  EXPECT_EQ(kernel.alive, 0U);
  EXPECT_EQ(taken(*keeper), 5U);
}

}  // namespace
}  // namespace flowtap::scheds
