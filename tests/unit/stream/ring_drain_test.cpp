// The ring of another build is emptied at the pace of the lines' thread.
#include "stream/capture/ring_drain.hpp"

#include <signal.h>

#include "tests/unit/stream/journal/consumer_ahead.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

class RingDrainTest : public LogConsumerAhead {
 protected:
  // Each look at the clock is a step later, and meanwhile the lines' thread has taken something.
  RingDrain drain(std::size_t taken, std::chrono::milliseconds step) {
    return {*consumer_, source_, *journal_, [this, taken, step] {
              if (taken > 0) take(taken);
              if (on_step_) on_step_();
              return now_ += step;
            }};
  }

  std::function<void()> on_step_;
};

TEST_F(RingDrainTest, ASlowLinesThreadEndsNoDrain) {
  begin(10s, 2);
  consumer_->rest([] { return RecordSource::Fill(); });
  rounds();
  append_others();
  append_others();
  drain(1, 9s).all();
  EXPECT_EQ(source_.held(), 0U);
  take_all();
}

TEST_F(RingDrainTest, OneThatStandsStillEndsNoneEither) {
  begin(10s, 2);
  consumer_->rest([] { return RecordSource::Fill(); });
  drain(0, 1s).all();
  EXPECT_EQ(source_.held(), 0U) << "the consumer has given it up";
}

TEST_F(RingDrainTest, ARingThatDoesNotMoveIsGivenUp) {
  begin(10s, 0);
  source_.set_busy(true);
  push(0);
  drain(0, 1s).all();
  EXPECT_EQ(source_.held(), 1U);
}

TEST_F(RingDrainTest, ARingThatGetsEmptierIsDrainedForLongerThanTheLinesThreadMayStandStill) {
  begin(10s, 2);
  const auto begun = now_;
  drain(std::size_t{512} << 10U, 200ms).nearly();
  EXPECT_LT(source_.head() - source_.position(), std::uint64_t{256} << 10U);
  EXPECT_GT(now_ - begun, 10s);
  take_all();
}

// Whoever ends the service while it starts does not wait for a backlog.
TEST_F(RingDrainTest, AnEndIsHeard) {
  begin(10s, 2);
  sigset_t term{};
  ::sigaddset(&term, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &term, nullptr), 0);
  ASSERT_EQ(::raise(SIGTERM), 0);
  const auto begun = now_;
  drain(std::size_t{64} << 10U, 1s).nearly();
  drain(std::size_t{64} << 10U, 1s).all();
  EXPECT_LE(now_ - begun, 5s);
  EXPECT_GT(source_.held(), pieces_ / 2);
  const timespec none{};
  EXPECT_EQ(::sigtimedwait(&term, nullptr, &none), SIGTERM);
  ::pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
}

TEST_F(RingDrainTest, ARingThatFillsAsFastIsLeftAsItIs) {
  begin(10s, 2);
  const auto begun = now_;
  std::uint64_t next = pieces_;
  on_step_ = [&] {
    for (int n = 0; n < 20; ++n) push(next++);  // more than a batch
  };
  drain(std::size_t{64} << 10U, 1s).nearly();
  EXPECT_LE(now_ - begun, 31s);
  EXPECT_GT(source_.held(), pieces_ / 4);
}

}  // namespace
}  // namespace flowtap::flow
