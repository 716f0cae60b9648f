// Several threads read one pipe: none takes another's events for its own, and what is read behind the pipe's end is counted.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <future>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_rank.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

// Each reader's notes are its task's own.
TEST(LogTapReaders, OfOnePipeHaveEachByteOnce) {
  FLOWTAP_SKIP_IF_REFUSED(kernel::LogBackend::kFunctions);
  constexpr int kReaders = 8;
  test::RunningTap tap(128U << 20U, kernel::LogBackend::kFunctions, true);
  test::Pipe pipe;
  const flow::StreamNo stream = tap.tap(pipe.out.get());
  struct Read {
    std::uint64_t bytes = 0;
    std::uint64_t calls = 0;  // that returned some
  };
  std::atomic<std::size_t> returned{0};
  std::array<Read, kReaders> read{};
  std::vector<std::thread> threads;
  for (Read& mine : read)
    threads.emplace_back([&mine, &pipe, &returned] {
      std::array<char, 100> buffer{};
      for (ssize_t n = 0; (n = ::read(pipe.out.get(), buffer.data(), buffer.size())) > 0; ++mine.calls) {
        mine.bytes += static_cast<std::uint64_t>(n);
        returned += static_cast<std::size_t>(n);
      }
    });
  const std::string text = test::lines(20'000);
  test::write_all(pipe.in.get(), text);
  // A reader that finds the pipe's end ends the stream, although another may still be on its way out with the last bytes
  // (bpf/README.md, Limits).
  EXPECT_TRUE(test::eventually([&] { return returned == text.size(); }));
  pipe.in.reset();
  for (std::thread& thread : threads) thread.join();
  Read sum;
  for (const Read& mine : read) sum = {sum.bytes + mine.bytes, sum.calls + mine.calls};
  ASSERT_EQ(sum.bytes, text.size());
  const auto& got = tap.captured().of(stream);
  EXPECT_EQ(got.captured(), tap.slot(stream).passed);
  // Each read is one record, or the first program was kept from it and the second has not taken it.
  const kernel::LogMisses misses = tap.misses();
  EXPECT_LE(sum.calls - got.pieces.size() + tap.streams().rescued(), misses.passed + tap.streams().unsure())
      << sum.calls << " reads, " << got.pieces.size() << " records, the second was kept from "
      << misses.unseen;
  // What both have left out is no more than what a user sees counted (kernel::LogMisses, Suspicion).
  EXPECT_LE(sum.calls - got.pieces.size(), misses.unseen + tap.streams().unsure());
  if (tap.missed() == 0) {
    EXPECT_EQ(got.captured(), text.size());
    EXPECT_EQ(got.ends.size(), 1U);
  } else {
    EXPECT_LE(got.captured(), text.size());
  }
}

constexpr int kPage = 4096;

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// One reader takes all that is in a full pipe. That wakes the writer, which is more urgent and has the CPU before the first reader's
// program runs: it writes its rest and closes the pipe, and the second reader finds the end.
void read_behind_the_end(test::Pipe& pipe) {
  ASSERT_EQ(::fcntl(pipe.in.get(), F_SETPIPE_SZ, kPage), kPage);
  test::write_all(pipe.in.get(), std::string(kPage, 'a'));
  const std::string rest(100, 'b');
  std::promise<pid_t> writes;
  std::binary_semaphore closed{0};
  std::thread writer([&] {
    test::pin_here();
    test::rank_first(3);
    writes.set_value(::gettid());
    test::write_all(pipe.in.get(), rest);
    pipe.in.reset();
    closed.release();
  });
  std::thread other([&] {
    test::pin_here();
    test::rank_first(2);
    closed.acquire();
    std::array<char, kPage> buffer{};
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 100);
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 0);
  });
  std::thread first([&] {
    test::pin_here();
    const std::string call = "/proc/self/task/" + std::to_string(writes.get_future().get()) + "/syscall";
    EXPECT_TRUE(test::eventually([&] { return first_word(call) == std::to_string(SYS_write); }));
    std::array<char, kPage> buffer{};
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), kPage);
  });
  for (std::thread* thread : {&writer, &other, &first}) thread->join();
}

struct LatePrograms {
  kernel::LogBackend backend;
  bool seconds;
};
class LogTapLate : public ::testing::TestWithParam<LatePrograms> {
 protected:
  void SetUp() override {
    FLOWTAP_SKIP_IF_REFUSED(kernel::LogBackend::kFunctions);
    tap_.emplace(1U << 20U, GetParam().backend, GetParam().seconds);
  }

  std::optional<test::RunningTap> tap_;
};

// Where the kernel gives other tasks a turn before SCHED_FIFO's, the first reader is not held up, and nothing is late.
TEST_P(LogTapLate, AReadBehindTheEndIsCountedOnce) {
  constexpr int kTries = 50;
  bool late = false;
  for (int i = 0; i < kTries && !late; ++i) {
    test::Pipe pipe;
    const flow::StreamNo stream = tap_->tap(pipe.out.get());
    read_behind_the_end(pipe);
    const auto& got = tap_->captured().of(stream);
    const kernel::LogStream slot = tap_->slot(stream);
    late = got.captured() == 100;
    EXPECT_EQ(slot.passed, 100U + kPage);
    EXPECT_EQ(slot.lost.at(FTAP_LOSS_UNCAPTURED), late ? kPage : 0);
    ASSERT_EQ(got.ends.size(), 1U);
    EXPECT_EQ(got.ends[0].passed, late ? 100U : slot.passed);
    EXPECT_EQ(got.whole(), (late ? "" : std::string(kPage, 'a')) + std::string(100, 'b'));
  }
  EXPECT_TRUE(late);
}

TEST_P(LogTapLate, AReadOfAPipeThatNobodyTapsIsNot) {
  test::Pipe tapped;
  const flow::StreamNo stream = tap_->tap(tapped.out.get());
  tapped.in.reset();
  std::array<char, 1> buffer{};
  EXPECT_EQ(::read(tapped.out.get(), buffer.data(), buffer.size()), 0);
  test::Pipe pipe;
  read_behind_the_end(pipe);
  EXPECT_EQ(tap_->slot(stream).passed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Programs, LogTapLate,
                         ::testing::Values(LatePrograms{kernel::LogBackend::kFunctions, false},
                                           LatePrograms{kernel::LogBackend::kFunctions, true},
                                           LatePrograms{kernel::LogBackend::kSysExit, false}),
                         [](const auto& tested) {
                           return std::string(kernel::backend_name(tested.param.backend)) +
                                  (tested.param.seconds ? "_two" : "");
                         });

}  // namespace
}  // namespace flowtap
