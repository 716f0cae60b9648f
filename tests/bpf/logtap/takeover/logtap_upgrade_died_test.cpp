// A build that relieves another dies before it has done that. Whichever of the two starts next goes on with all streams.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/bpf/logtap/logtap_pinned.hpp"
#include "tests/bpf/logtap/takeover/logtap_next.hpp"
#include "tests/support/must.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using test::must;

class LogTapUpgradeDied : public test::PinnedTap {
 protected:
  static flow::StreamNo tap(const kernel::LogLive& live, const test::Pipe& pipe) {
    return must(must(live.streams()).open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE)));
  }

  // What is read is captured.
  static void pass(const test::Pipe& pipe, const std::string& text) {
    test::write_all(pipe.in.get(), text);
    std::string buffer(text.size(), ' ');
    ASSERT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
  }

  // Tomorrow's build, which has a hook more than today's, relieves today's.
  flow::StreamNo relieve_by_tomorrow(flow::StreamNo stream) {
    test::NextService next(options_.bpffs, root_ + "/before");
    const auto numbers = next.relieved();
    EXPECT_EQ(next.end(), 0);
    return numbers.at(stream);
  }
};

// The older build's extra hook still leads to it, though it captures no more.
TEST_F(LogTapUpgradeDied, AfterTheOlderBuildWasMuted) {
  const test::Pipe pipe;
  const flow::StreamNo first = tap(start(), pipe);
  const flow::StreamNo tomorrows = relieve_by_tomorrow(first);
  pass(pipe, "tomorrow's ");
  flow::StreamNo todays = 0;
  {
    auto live = start();
    const auto relieved = must(live.relieve());
    ASSERT_EQ(relieved.size(), 1U);
    EXPECT_EQ(relieved.front().before.stream, tomorrows);
    todays = relieved.front().number;
  }  // it dies before it has drained what it relieved
  pass(pipe, "today's ");

  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  pass(pipe, "tomorrow's again");
  ASSERT_EQ(next.end(), 0);
  ASSERT_TRUE(numbers.contains(todays));
  EXPECT_EQ(numbers.at(tomorrows), numbers.at(todays));
  const test::Captured captured = test::read_frames(frames);
  EXPECT_EQ(captured.of(tomorrows).whole(), "tomorrow's ");
  EXPECT_EQ(captured.of(todays).whole(), "today's ");
  EXPECT_EQ(captured.of(numbers.at(todays)).whole(), "tomorrow's again");
}

// All events go to the new build, which has registered a stream, and the older one is not muted yet.
TEST_F(LogTapUpgradeDied, AfterItRegisteredAStream) {
  const test::Pipe pipe;
  const test::Pipe fresh;
  const flow::StreamNo tomorrows = relieve_by_tomorrow(tap(start(), pipe));
  flow::StreamNo registered = 0;
  {
    const auto live = start();
    const kernel::LogPins pins(options_.bpffs);
    const auto ours = must(kernel::LogGeneration::open(must(pins.find(kernel::log_abi()))));
    for (const kernel::LogHook& hook : must(kernel::open_hooks(must(pins.find(kernel::LogPins::kHooks))))) {
      const kernel::LogHandler* handler = ours.handler(hook.name);
      if (handler == nullptr) continue;
      ASSERT_TRUE(kernel::lead_to(hook, handler->program.get()));
    }
    registered = tap(live, fresh);
  }
  std::atomic<bool> stop{false};
  std::string text;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i, std::this_thread::sleep_for(100us)) {
      const std::string line = "line " + std::to_string(i) + "\n";
      pass(fresh, line);
      text += line;
    }
  });
  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  std::this_thread::sleep_for(20ms);
  stop = true;
  writer.join();
  pass(pipe, "the other one's");
  ASSERT_EQ(next.end(), 0);
  ASSERT_TRUE(numbers.contains(registered) && numbers.contains(tomorrows));
  const test::Captured captured = test::read_frames(frames);
  EXPECT_TRUE(captured.of(registered).whole() + captured.of(numbers.at(registered)).whole() == text)
      << captured.of(registered).captured() << " + " << captured.of(numbers.at(registered)).captured()
      << " of " << text.size();
  EXPECT_EQ(captured.of(numbers.at(tomorrows)).whole(), "the other one's");
}

}  // namespace
}  // namespace flowtap
