// Waiting readers are told in time, and nobody looks in between.
#include "stream/reading/reader_waker.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tests/support/event_wait.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

class ReaderWakerTest : public testing::Test {
 protected:
  std::future<void> wakes(const void* who, ReaderWaker::Clock::time_point at) {
    auto woken = std::make_shared<std::promise<void>>();
    waker_->later(who, [woken] { woken->set_value(); }, at);
    return woken->get_future();
  }
  static bool comes(const std::future<void>& woken) {
    return woken.wait_for(30s) == std::future_status::ready;
  }
  // Where nothing is due, its thread does not even look at the clock.
  static bool sleeps() {
    return test::eventually([] { return test::waits_for_events_alone("ftap-follow"); });
  }

  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  int one_ = 0;
  int other_ = 0;
};

TEST_F(ReaderWakerTest, SleepsWhileNothingIsDue) {
  EXPECT_TRUE(sleeps());
  EXPECT_TRUE(comes(wakes(&one_, ReaderWaker::Clock::now())));
  EXPECT_TRUE(comes(wakes(&one_, ReaderWaker::Clock::now() + 20ms)));
  EXPECT_TRUE(sleeps());
}

TEST_F(ReaderWakerTest, IsWokenForWhatIsDueEarlier) {
  const auto late = wakes(&one_, ReaderWaker::Clock::now() + 24h);
  EXPECT_TRUE(comes(wakes(&other_, ReaderWaker::Clock::now() + 10ms)));
  EXPECT_EQ(late.wait_for(0s), std::future_status::timeout);
  EXPECT_TRUE(comes(wakes(&one_, ReaderWaker::Clock::now() + 10ms))) << "in place of tomorrow";
}

TEST_F(ReaderWakerTest, TellsAFollowerAtTheLatest) {
  const std::shared_ptr<flow::Follower> follower = *flow::Follower::create({1});
  std::promise<void> woken;
  waker_->once(follower, [&woken] { woken.set_value(); }, ReaderWaker::Clock::now() + 10ms);
  EXPECT_TRUE(comes(woken.get_future()));
  waker_->forget(*follower);
}

}  // namespace
}  // namespace flowtap
