// What is lost at functions where tasks of one CPU are preempted in the programs, with one program and with two; and
// that readers of one pipe do not take one another's events for their own.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

void pin_here() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  EXPECT_EQ(::sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

void rank_first(int priority) {
  const sched_param rank{.sched_priority = priority};
  EXPECT_EQ(::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &rank), 0);
}

struct Stream {
  flow::StreamNo number = 0;
  test::Pipe pipe;
  std::string text;
  std::uint64_t reads = 0;
};

// All are on one CPU: readers that are busy, and some of SCHED_FIFO that take it from them, and from one another,
// wherever they are.
class Crowd {
 public:
  explicit Crowd(test::RunningTap& tap) : tap_(tap) {}

  void run() {
    for (int i = 0; i < kBusy; ++i) busy(add());
    for (int i = 0; i < kFirst; ++i) first(add(), i + 1);
    const std::size_t busy = std::size_t{kBusy} * 2;
    for (std::size_t i = 0; i < busy; ++i) threads_[i].join();
    over_ = true;
    for (std::size_t i = busy; i < threads_.size(); ++i) threads_[i].join();
  }

  [[nodiscard]] const std::deque<Stream>& streams() const { return streams_; }

 private:
  static constexpr int kBusy = 4;
  static constexpr int kFirst = 3;
  static constexpr int kLines = 40'000;
  static constexpr std::size_t kAtOnce = 2048;

  Stream& add() {
    Stream& stream = streams_.emplace_back();
    stream.number = tap_.tap(stream.pipe.out.get());
    return stream;
  }

  void busy(Stream& stream) {
    threads_.emplace_back([&stream] {
      pin_here();
      test::write_all(stream.pipe.in.get(), test::lines(kLines));
      stream.pipe.in.reset();
    });
    threads_.emplace_back([&stream] {
      pin_here();
      std::string buffer(kAtOnce, '\0');
      for (ssize_t n = 0; (n = ::read(stream.pipe.out.get(), buffer.data(), buffer.size())) > 0;
           ++stream.reads)
        stream.text.append(buffer, 0, static_cast<std::size_t>(n));
    });
  }

  void first(Stream& stream, int rank) {
    threads_.emplace_back([this, &stream, rank] {
      pin_here();
      rank_first(rank);
      std::array<char, 64> buffer{};
      while (!over_) {
        std::this_thread::sleep_for(rank * 37us);
        const std::string line =
            "line " + std::to_string(stream.reads++) + " of rank " + std::to_string(rank) + "\n";
        test::write_all(stream.pipe.in.get(), line);
        const ssize_t n = ::read(stream.pipe.out.get(), buffer.data(), buffer.size());
        stream.text.append(buffer.data(), static_cast<std::size_t>(n));
      }
    });
  }

  test::RunningTap& tap_;
  std::deque<Stream> streams_;
  std::vector<std::thread> threads_;
  std::atomic<bool> over_{false};
};

class LogTapCrowd : public ::testing::TestWithParam<bool> {};

TEST_P(LogTapCrowd, OnOneCpuLosesOnlyWhatIsKeptFromTheLast) {
  FLOWTAP_SKIP_IF_REFUSED(kernel::LogBackend::kFunctions);
  test::RunningTap tap(128U << 20U, kernel::LogBackend::kFunctions, GetParam());
  Crowd crowd(tap);
  crowd.run();
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  for (const Stream& stream : crowd.streams()) {
    const auto& got = tap.captured().of(stream.number);
    EXPECT_TRUE(got.found_in(stream.text)) << "nothing is double";
    ASSERT_LE(got.captured(), stream.text.size());
    EXPECT_EQ(got.captured(), tap.slot(stream.number).passed);
    events += stream.reads;
    bytes += stream.text.size();
    lost += stream.text.size() - got.captured();
  }
  const kernel::LogMisses misses = tap.misses();
  std::printf(
      "lost %llu of %llu bytes in %llu events; misses: %llu of firsts, %llu of lasts; rescued %llu, unsure "
      "%llu\n",
      static_cast<unsigned long long>(lost), static_cast<unsigned long long>(bytes),
      static_cast<unsigned long long>(events), static_cast<unsigned long long>(misses.passed),
      static_cast<unsigned long long>(misses.unseen),
      static_cast<unsigned long long>(tap.streams().rescued()),
      static_cast<unsigned long long>(tap.streams().unsure()));
  EXPECT_TRUE(tap.missed() != 0 || lost == 0);
  EXPECT_LE(tap.streams().rescued(), misses.passed + tap.streams().unsure());
  // A few of the passed events may belong to pipes that are not tapped.
  if (misses.passed > 20) {
    EXPECT_GT(tap.streams().rescued(), misses.passed / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LogTapCrowd, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "two" : "one"; });

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

}  // namespace
}  // namespace flowtap
