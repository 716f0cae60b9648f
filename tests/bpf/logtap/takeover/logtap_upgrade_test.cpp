// A build with another layout relieves this one while everything is written to: each byte is captured by exactly one of
// the two.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "kernel/map_view.hpp"
#include "tests/bpf/logtap/logtap_pinned.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/bpf/logtap/takeover/logtap_next.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/must.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// Nobody drains while a new build is loaded, which takes a second here and some in a machine without KVM. So
// that what is written meanwhile fits into the ring, each thread writes at full speed first, then slowly, then no more.
constexpr std::uint32_t kRing = 128U << 20U;
constexpr int kWriters = 4;
constexpr int kLinesPerPause = 50;
constexpr int kBacklog =
    5000;  // lines of each that are in the ring when the next build comes, and come afterwards
constexpr auto kPause = 200us;
constexpr int kFastLines = 50'000;
constexpr auto kSlowPause = 20ms;
constexpr std::size_t kMostBytes = 48;  // of a line
constexpr int kMostLines = kRing / kWriters / (sizeof(ftap_log_record) + kMostBytes + 16);

class LogTapUpgrade : public test::PinnedTap, public ::testing::WithParamInterface<kernel::LogBackend> {
 protected:
  void SetUp() override {
    test::PinnedTap::SetUp();
    options_.backend = GetParam();
    options_.ring_bytes = kRing;
    FLOWTAP_SKIP_IF_REFUSED(GetParam());
  }
};

// A thread that writes until it is told to stop.
class Writing {
 public:
  /// `fd` is closed at the end; `say` writes a piece of text there.
  Writing(std::string name, Fd fd, std::function<void(int, const std::string&)> say)
      : thread_([this, name = std::move(name), fd = std::move(fd), say = std::move(say)] {
          for (int i = 0; !stop_; ++i) {
            const std::string line = name + " " + std::to_string(i) + " is what somebody says\n";
            EXPECT_LE(line.size(), kMostBytes);
            say(fd.get(), line);
            text_ += line;
            ++lines_;
            const bool fast = i < kFastLines || drained_;
            if (i % kLinesPerPause == 0) std::this_thread::sleep_for(fast ? kPause : kSlowPause);
            while (i >= kMostLines && !stop_ && !drained_) std::this_thread::sleep_for(kSlowPause);
          }
        }) {}

  /// Waits until it has written this many lines more.
  [[nodiscard]] bool writes(int more) const {
    return test::eventually([this, to = lines_ + more] { return lines_ >= to; });
  }
  /// From now on somebody drains the ring.
  void go_on() { drained_ = true; }

  std::string stop() {
    stop_ = true;
    thread_.join();
    return text_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> drained_{false};
  std::atomic<int> lines_{0};
  std::string text_;
  std::thread thread_;
};

void write_line(int fd, const std::string& line) {
  test::write_all(fd, line);
}

// Events that perhaps no program saw, since each program was already running on that CPU.
std::uint64_t missed(const std::string& bpffs) {
  auto pins = kernel::LogPins(bpffs).find(kernel::LogPins::kHooks);
  EXPECT_TRUE(pins);
  const auto hooks = kernel::open_hooks(std::move(*pins));
  EXPECT_TRUE(hooks);
  std::vector<Result<kernel::ProgramStats>> programs;
  for (const kernel::LogHook& hook : *hooks) {
    programs.push_back(kernel::read_program_stats(hook.program_name(), hook.program.get(), false));
    EXPECT_TRUE(programs.back());
  }
  return kernel::count_misses(programs).value().unseen;
}

// What is not known to be captured makes flows suspect also after an upgrade.
TEST_P(LogTapUpgrade, WhatWasCountedIsNotForgotten) {
  const auto live = start();
  const auto control_of = [this](const std::string& layout) {
    const Fd pinned(::bpf_obj_get((options_.bpffs + "/flowtap/" + layout + "/control").c_str()));
    return test::must(kernel::MapView<ftap_log_control>::map(pinned.get(), 1));
  };
  const auto older = control_of(kernel::log_abi());
  ftap_log_control& before = older.elements().front();
  before.lost_events += 1;
  before.no_slot += 2;
  before.rescued += 3;
  before.unsure += 4;
  test::NextService next(options_.bpffs, root_ + "/frames");
  next.relieved();
  for (const std::string& layout : test::must(kernel::LogPins(options_.bpffs).layouts())) {
    if (layout == kernel::log_abi()) continue;
    const auto newer = control_of(layout);
    const ftap_log_control& after = newer.elements().front();
    for (const auto count : {&ftap_log_control::lost_events, &ftap_log_control::no_slot,
                             &ftap_log_control::rescued, &ftap_log_control::unsure})
      EXPECT_GE(after.*count, before.*count);
  }
  ASSERT_EQ(next.end(), 0);
}

TEST_P(LogTapUpgrade, NothingIsMissingAndNothingDouble) {
  constexpr int kPipes = kWriters - 1;
  std::vector<flow::StreamNo> streams;
  std::deque<Writing> writings;
  std::vector<std::thread> readers;
  std::vector<std::string> read(kPipes);
  const std::string log = root_ + "/log";
  {
    const auto live = start();
    EXPECT_FALSE(live.taken_over());
    auto slots = live.streams();
    ASSERT_TRUE(slots);
    const auto tap = [&](int fd, ftap_log_kind kind) {
      const auto number = slots->open(test::target_of(fd, kind));
      ASSERT_TRUE(number);
      streams.push_back(*number);
    };
    for (int i = 0; i < kPipes; ++i) {
      test::Pipe pipe;
      tap(pipe.out.get(), FTAP_KIND_PIPE);
      auto end = std::make_shared<Fd>(std::move(pipe.out));
      readers.emplace_back(
          [end, &text = read.at(static_cast<std::size_t>(i))] { text = test::read_all(end->get(), 8192); });
      writings.emplace_back("pipe " + std::to_string(i), std::move(pipe.in), write_line);
    }
    Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    tap(file.get(), FTAP_KIND_FILE);
    writings.emplace_back("file", std::move(file), write_line);
  }  // from here on only the pins hold it
  for (const Writing& writing : writings) EXPECT_TRUE(writing.writes(kBacklog));

  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  for (Writing& writing : writings) writing.go_on();
  for (const Writing& writing : writings) EXPECT_TRUE(writing.writes(kBacklog));
  std::vector<std::string> written;
  for (auto writing = writings.rbegin(); writing != writings.rend(); ++writing)
    written.insert(written.begin(), writing->stop());
  for (std::thread& reader : readers) reader.join();
  // A record is in the ring before the call that it describes returns.
  ASSERT_EQ(next.end(), 0);

  ASSERT_EQ(numbers.size(), streams.size());
  const test::Captured captured = test::read_frames(frames);
  const std::uint64_t skipped = missed(options_.bpffs);
  // If anything was skipped, the kernel has said that this may happen.
  EXPECT_TRUE(skipped == 0 || test::may_miss() || GetParam() == kernel::LogBackend::kFunctions);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto& before = captured.of(streams[i]);
    const auto& after = captured.of(numbers.at(streams[i]));
    EXPECT_GT(before.captured(), 0U);
    EXPECT_GT(after.captured(), 0U);
    if (skipped != 0) {
      const auto end = before.found_in(written[i]);
      EXPECT_TRUE(end && after.found_in(written[i], *end)) << "nothing is double";
      continue;
    }
    const std::string all = before.whole() + after.whole();
    EXPECT_TRUE(all == written[i]) << "stream " << i << ": " << before.captured() << " + " << after.captured()
                                   << " of " << written[i].size();
    EXPECT_TRUE(i >= read.size() || read[i] == written[i]) << "the test itself";
  }
}

FLOWTAP_EACH_BACKEND(LogTapUpgrade);

}  // namespace
}  // namespace flowtap
