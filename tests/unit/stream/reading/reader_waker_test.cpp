// Who waits is told in time, and nobody looks in between.
#include "stream/reading/follow_watch.hpp"

#include <gtest/gtest.h>

#include <future>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

class FollowWatchTest : public testing::Test {
 protected:
  std::future<void> wakes(const void* who, FollowWatch::Clock::time_point at) {
    auto woken = std::make_shared<std::promise<void>>();
    watch_->later(who, [woken] { woken->set_value(); }, at);
    return woken->get_future();
  }
  static bool comes(const std::future<void>& woken) {
    return woken.wait_for(30s) == std::future_status::ready;
  }
  // How often the thread looks in so long a time in which nothing is due.
  std::uint64_t idle_looks() {
    const std::uint64_t before = watch_->looks();
    std::this_thread::sleep_for(900ms);
    return watch_->looks() - before;
  }

  std::unique_ptr<FollowWatch> watch_ = std::move(*FollowWatch::start());
  int one_ = 0;
  int other_ = 0;
};

TEST_F(FollowWatchTest, SleepsWhileNothingIsDue) {
  EXPECT_EQ(idle_looks(), 0U);
  EXPECT_TRUE(comes(wakes(&one_, FollowWatch::Clock::now())));
  EXPECT_TRUE(comes(wakes(&one_, FollowWatch::Clock::now() + 20ms)));
  EXPECT_EQ(idle_looks(), 0U);
}

TEST_F(FollowWatchTest, IsWokenForWhatIsDueEarlier) {
  const auto late = wakes(&one_, FollowWatch::Clock::now() + 24h);
  EXPECT_TRUE(comes(wakes(&other_, FollowWatch::Clock::now() + 10ms)));
  EXPECT_EQ(late.wait_for(0s), std::future_status::timeout);
  EXPECT_TRUE(comes(wakes(&one_, FollowWatch::Clock::now() + 10ms))) << "in place of tomorrow";
}

TEST_F(FollowWatchTest, TellsAFollowerAtTheLatest) {
  const std::shared_ptr<flow::Follower> follower = *flow::Follower::create({1});
  std::promise<void> woken;
  watch_->once(follower, [&woken] { woken.set_value(); }, FollowWatch::Clock::now() + 10ms);
  EXPECT_TRUE(comes(woken.get_future()));
  watch_->forget(*follower);
}

}  // namespace
}  // namespace flowtap
