// A stream changes hands between the two programs of one event: one build's first program has handled it, and then it
// comes to the other build's second.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/bpf/logtap/logtap_second.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/bpf/logtap/takeover/logtap_next.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

using LogTapSecondUpgrade = test::LogTapSecond;
using LogTapAlone = test::PinnedTap;

long slept() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

// Two reads stand for the one event: only the older build's first program hears of the first read, and only the newer
// build's second one of the other. The reader does not sleep between them.
TEST_F(LogTapSecondUpgrade, AnEventIsHadByOneOfTwoBuilds) {
  const test::Pipe pipe;
  const flow::StreamNo stream = tap(pipe.out.get());
  std::array<char, 4> buffer{};
  const auto read = [&] { EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 4); };
  test::write_all(pipe.in.get(), "one two ");
  std::atomic<int> step{0};
  std::atomic<bool> has_slept{false};
  lead_pipes(true, false);
  std::thread reader([&] {
    const long before = slept();
    read();
    step = 1;
    while (step != 2) std::this_thread::yield();  // yielding is no sleep
    read();
    has_slept = slept() != before;
    step = 3;
    std::this_thread::sleep_for(1ms);  // whatever is noted of it is void then
    test::write_all(pipe.in.get(), "more");
    read();
  });
  EXPECT_TRUE(test::eventually([&] { return step == 1; }));
  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  for (const std::string_view hook : {"apipe", "pipe"}) keep_from(hook);
  kernel::wait_for_programs();
  step = 2;
  reader.join();
  ASSERT_EQ(next.end(), 0);
  ASSERT_EQ(numbers.size(), 1U);
  const test::Captured got = test::read_frames(frames);
  if (has_slept || got.of(stream).captured() == 0) return;  // then the note is void, or there is none
  EXPECT_EQ(got.of(stream).whole(), "one ");
  EXPECT_EQ(got.of(numbers.at(stream)).whole().find("two"), std::string::npos);
}

// Otherwise the kernel would run it before the first one, which is attached already.
TEST_F(LogTapAlone, IsGivenNoSecondAfterwards) {
  FLOWTAP_SKIP_IF_REFUSED(kernel::LogBackend::kFunctions);
  options_.backend = kernel::LogBackend::kFunctions;
  options_.seconds = false;
  const auto live = start();
  EXPECT_FALSE(live.has_seconds());
  auto slots = live.streams();
  ASSERT_TRUE(slots);
  const test::Pipe pipe;
  const auto stream = slots->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE));
  ASSERT_TRUE(stream);
  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  auto pins = kernel::LogPins(options_.bpffs).find(kernel::LogPins::kHooks);
  ASSERT_TRUE(pins);
  for (const kernel::Pin& pin : *pins) EXPECT_FALSE(kernel::is_second(pin.name)) << pin.name;
  std::array<char, 4> buffer{};
  test::write_all(pipe.in.get(), "once");
  EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 4);
  ASSERT_EQ(next.end(), 0);
  ASSERT_EQ(numbers.size(), 1U);
  const test::Captured captured = test::read_frames(frames);
  const auto& got = captured.of(numbers.at(*stream));
  EXPECT_TRUE(got.whole() == "once" || kernel::count_misses(live.program_stats(false)).value().unseen != 0);
}

}  // namespace
}  // namespace flowtap
