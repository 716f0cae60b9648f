// Everything that a ring which is too small loses is counted: passed == captured + lost, stream by stream, and every
// loss is a gap.
#include <fcntl.h>

#include <numeric>
#include <thread>
#include <vector>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"

namespace flowtap {
namespace {

constexpr std::uint32_t kRing = 64U << 20U;
constexpr std::uint32_t kSmallRing = 256U << 10U;
constexpr std::size_t kStreams = 6;

struct Passed {
  flow::StreamNo stream = 0;
  std::string text;
};

// Each reads its own pipe in its own size; nobody drains the ring meanwhile.
std::vector<Passed> pass_all(test::RunningTap& tap, std::size_t bytes) {
  std::vector<Passed> all(kStreams);
  std::vector<test::Pipe> pipes(kStreams);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kStreams; ++i) all[i].stream = tap.tap(pipes[i].out.get());
  for (std::size_t i = 0; i < kStreams; ++i) {
    threads.emplace_back([&, i] {
      test::write_all(pipes[i].in.get(), test::binary(bytes + i * 10'000));
      pipes[i].in.reset();
    });
    threads.emplace_back(
        [&, i] { all[i].text = test::read_all(pipes[i].out.get(), std::size_t{100} << (2 * i)); });
  }
  for (std::thread& thread : threads) thread.join();
  return all;
}

// A program that was kept from running may have missed the end of a stream and what the stream lost.
bool suspect(const test::RunningTap& tap, kernel::LogBackend backend) {
  const bool missed = tap.missed() != 0;
  EXPECT_TRUE(!missed || test::may_miss() || backend == kernel::LogBackend::kFunctions);
  return missed;
}

void expect_ledger(test::RunningTap& tap, const std::vector<Passed>& all) {
  for (const Passed& passed : all) {
    const auto& got = tap.captured().of(passed.stream);
    const auto slot = tap.slot(passed.stream);
    EXPECT_EQ(slot.passed, passed.text.size());
    EXPECT_EQ(slot.state, FTAP_STREAM_ENDED) << "also where its END found no room";
    EXPECT_EQ(slot.lost[FTAP_LOSS_RING_FULL], got.missing(slot.passed));
    EXPECT_EQ(slot.lost[FTAP_LOSS_RING_FULL], slot.passed - got.captured());
    EXPECT_EQ(std::accumulate(slot.lost.begin(), slot.lost.end(), std::uint64_t{0}),
              slot.lost[FTAP_LOSS_RING_FULL]);
    for (const auto& [offset, piece] : got.pieces)
      EXPECT_TRUE(passed.text.compare(offset, piece.size(), piece) == 0) << "at " << offset;
  }
}

class LogTapLoss : public ::testing::TestWithParam<kernel::LogBackend> {
 protected:
  void SetUp() override { FLOWTAP_SKIP_IF_REFUSED(GetParam()); }
};

TEST_P(LogTapLoss, ARingThatIsTooSmallIsAnHonestOne) {
  test::RunningTap tap(kSmallRing, GetParam());
  const auto all = pass_all(tap, 300'000);
  if (suspect(tap, GetParam())) return;
  expect_ledger(tap, all);
  std::uint64_t lost = 0;
  std::uint64_t ends = 0;
  for (const Passed& passed : all) {
    lost += tap.slot(passed.stream).lost[FTAP_LOSS_RING_FULL];
    ends += tap.captured().of(passed.stream).ends.size();
  }
  EXPECT_GT(lost, 1'000'000U);
  EXPECT_EQ(ends + tap.streams().lost_events(), kStreams);
}

TEST_P(LogTapLoss, AfterALossItGoesOn) {
  test::RunningTap tap(kSmallRing, GetParam());
  test::Pipe pipe;
  const flow::StreamNo stream = tap.tap(pipe.out.get());
  ::fcntl(pipe.out.get(), F_SETPIPE_SZ, 1U << 20U);
  std::string text;
  std::string buffer(1U << 20U, '\0');
  for (int round = 0; round < 5; ++round) {
    const std::string part = test::binary(500'000 + static_cast<std::size_t>(round));
    text += part;
    test::write_all(pipe.in.get(), part);
    ASSERT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(part.size()));
    tap.captured();
  }
  pipe.in.reset();
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 0);
  if (suspect(tap, GetParam())) return;
  expect_ledger(tap, {{stream, text}});
  EXPECT_GT(tap.captured().of(stream).captured(), 5U * 100'000U);
  ASSERT_EQ(tap.captured().of(stream).ends.size(), 1U);
  EXPECT_EQ(tap.captured().of(stream).ends[0].lost, tap.slot(stream).lost);
}

TEST_P(LogTapLoss, AQuarterFullRingCallsItsReader) {
  test::RunningTap tap(kSmallRing, GetParam());
  const test::Pipe pipe;
  tap.tap(pipe.out.get());
  EXPECT_TRUE(tap.ring().wait(std::chrono::milliseconds(0)));
  std::string buffer(65536, '\0');
  test::write_all(pipe.in.get(), std::string(60'000, 'x'));
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 60'000);
  EXPECT_LT(tap.ring().backlog(), tap.ring().capacity() / 4);
  test::write_all(pipe.in.get(), std::string(60'000, 'x'));
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 60'000);
  EXPECT_GT(tap.ring().backlog(), tap.ring().capacity() / 4);
  // The wake-up ends this wait; without one the test's own limit does, a minute later.
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(tap.ring().wait(std::chrono::minutes(1)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
}

TEST_P(LogTapLoss, WhoFollowsIsWoken) {
  test::RunningTap tap(kRing, GetParam());
  const test::Pipe pipe;
  tap.tap(pipe.out.get());
  tap.streams().wake(true);
  std::array<char, 8> buffer{};
  for (int i = 0; i < 3; ++i) {
    test::write_all(pipe.in.get(), "now");
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 3);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(tap.ring().wait(std::chrono::minutes(1)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
    tap.captured();
  }
}

TEST_P(LogTapLoss, AnInterruptEndsTheNextWait) {
  test::RunningTap tap(kRing, GetParam());
  tap.ring().interrupt();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(tap.ring().wait(std::chrono::minutes(1)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
}

FLOWTAP_EACH_BACKEND(LogTapLoss);

}  // namespace
}  // namespace flowtap
