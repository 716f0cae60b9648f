// A build that relieves another dies before it has done that. Whichever of the two starts next goes on with all streams.
#include <bpf/bpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "stream/capture/relief.hpp"
#include "stream/journal/journal.hpp"
#include "tests/bpf/logtap/logtap_pinned.hpp"
#include "tests/bpf/logtap/takeover/logtap_next.hpp"
#include "tests/bpf/logtap/takeover/logtap_takeover.hpp"
#include "tests/support/eventually.hpp"
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

  // As relieve() does, and then no more.
  void lead_to_today() const {
    const kernel::LogPins pins(options_.bpffs);
    const auto ours = must(kernel::LogGeneration::open(must(pins.find(kernel::log_abi()))));
    for (const kernel::LogHook& hook : must(kernel::open_hooks(must(pins.find(kernel::LogPins::kHooks))))) {
      const kernel::LogHandler* handler = ours.handler(hook.name);
      if (handler == nullptr) continue;
      ASSERT_TRUE(kernel::lead_to(hook, handler->program.get()));
    }
  }

  [[nodiscard]] kernel::LogGeneration tomorrows_generation() const {
    const kernel::LogPins pins(options_.bpffs);
    auto layouts = must(pins.layouts());
    std::erase(layouts, kernel::log_abi());
    return must(kernel::LogGeneration::open(must(pins.find(layouts.at(0)))));
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
    const auto relieved = test::opened(must(live.relieve()));
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

// The pipe has lost its last writer, so nobody else notes it again.
TEST_F(LogTapUpgradeDied, WhatWasNotedAsWrittenIsHandedOn) {
  test::Pipe pipe;
  const std::string text = test::lines(200);
  constexpr std::size_t kRead = 1000;
  const flow::StreamNo first = tap(start(), pipe);
  const auto read_some = [&] {
    std::string some(kRead, ' ');
    ASSERT_EQ(::read(pipe.out.get(), some.data(), some.size()), static_cast<ssize_t>(kRead));
  };
  test::NextService next(options_.bpffs, root_ + "/before");
  const flow::StreamNo tomorrows = next.relieved().at(first);
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::dup2(pipe.in.get(), STDOUT_FILENO);
    test::write_all(STDOUT_FILENO, text);
    ::_exit(0);
  }
  EXPECT_EQ(::waitpid(writer, nullptr, 0), writer);
  read_some();
  ASSERT_EQ(next.end(), 0);

  auto live = start();
  const auto relieved = must(live.relieve());
  const auto it = std::ranges::find(relieved, tomorrows, [](const auto& one) { return one.before.stream; });
  ASSERT_NE(it, relieved.end());
  read_some();
  auto streams = must(live.streams());
  const auto ours = [&] {
    const auto all = streams.sweep();
    return *std::ranges::find(all, it->number, &kernel::LogStream::stream);
  };
  EXPECT_EQ(ours().written, text.size() - kRead);
  EXPECT_EQ(ours().passed, kRead);
  (void)must(live.relieve());  // it was handed on once
  EXPECT_EQ(ours().written, text.size() - kRead);
  pipe.out.reset();
  ASSERT_TRUE(streams.abandon(ours()));
  EXPECT_EQ(ours().lost[FTAP_LOSS_UNREAD], text.size() - 2 * kRead);
}

// All events go to the new build, which has registered a stream, and the older one is not muted yet.
TEST_F(LogTapUpgradeDied, AfterItRegisteredAStream) {
  const test::Pipe pipe;
  const test::Pipe fresh;
  const flow::StreamNo tomorrows = relieve_by_tomorrow(tap(start(), pipe));
  flow::StreamNo registered = 0;
  {
    const auto live = start();
    lead_to_today();
    registered = tap(live, fresh);
  }
  std::atomic<bool> stop{false};
  std::atomic<int> lines{0};
  std::string text;
  std::thread writer([&] {
    for (int i = 0; !stop; lines = ++i, std::this_thread::sleep_for(100us)) {
      const std::string line = "line " + std::to_string(i) + "\n";
      pass(fresh, line);
      text += line;
    }
  });
  const std::string frames = root_ + "/frames";
  test::NextService next(options_.bpffs, frames);
  const auto numbers = next.relieved();
  EXPECT_TRUE(test::eventually([&, to = lines + 100] { return lines >= to; }));
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

class KnowsNobody : public flow::Namer {
 public:
  flow::Naming name(const flow::Enter& /*enter*/) override { return {flow::NamingState::kNotOurs, {}, "{}"}; }
};

// What the process writes to may have changed since its stream was named, so the name cannot be found out again.
TEST_F(LogTapUpgradeDied, BeforeItHadNamedWhatItRelieved) {
  const test::Pipe pipe;
  const flow::StreamNo first = tap(start(), pipe);
  const auto journal = must(flow::Journal::open({.dir = root_ + "/journal"}));
  flow::Batch names;
  names.add(flow::StreamEntry{first, {.flow = "container/a", .output = "stderr", .identity = "{}"}});
  ASSERT_TRUE(journal->append(names));
  test::NextService next(options_.bpffs, root_ + "/frames", test::NextService::Until::kRelieved);
  const auto tomorrows = next.relieved();
  ASSERT_EQ(next.end(), 0);
  ASSERT_TRUE(tomorrows.contains(first));
  KnowsNobody namer;
  auto live = start();
  ASSERT_TRUE(relieve_older(live, *journal, namer));
  const std::vector<kernel::LogStream> now = test::opened(must(live.streams()).sweep());
  ASSERT_EQ(now.size(), 1U);
  for (const flow::StreamNo stream : {tomorrows.at(first), now.front().stream}) {
    const auto known = journal->stream(stream);
    ASSERT_TRUE(known && known->name) << stream;
    EXPECT_EQ(known->name->flow, "container/a");
    EXPECT_EQ(known->name->output, "stderr");
  }
}

// Each start loads a ring. Those of builds that have captured nothing must not stay.
TEST_F(LogTapUpgradeDied, ManyTimesBeforeItLedAnyHook) {
  const test::Pipe pipe;
  const flow::StreamNo tomorrows = relieve_by_tomorrow(tap(start(), pipe));
  const auto folders = [this] {
    return std::distance(std::filesystem::directory_iterator(options_.bpffs + "/flowtap"), {});
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(start().taken_over());
    EXPECT_EQ(folders(), 3) << "the hooks', tomorrow's and today's";
  }
  auto live = start();
  const auto relieved = test::opened(must(live.relieve()));
  ASSERT_EQ(relieved.size(), 1U);
  EXPECT_EQ(relieved.front().before.stream, tomorrows);
  live.forget_older();
  EXPECT_EQ(folders(), 2);
  EXPECT_EQ(live.program_stats(false).size(), test::kPrograms)
      << "without the hook that only tomorrow's knows";
}

TEST_F(LogTapUpgradeDied, OrNotAndWhatIsListedIsFoundAtOnce) {
  const std::string unit = "some.service";
  const test::Pipe pipe;
  flow::StreamNo stream = 0;
  {
    const auto live = start();
    stream = tap(live, pipe);
    auto streams = must(live.streams());
    ASSERT_TRUE(streams.list_units({unit}));
    ASSERT_TRUE(streams.list_executables({{.device = 3, .inode = 4}}, 5));
  }
  relieve_by_tomorrow(stream);
  const auto tomorrows = tomorrows_generation();
  std::array<char, FTAP_CGROUP_NAME> name{};
  std::ranges::copy(unit, name.begin());
  std::uint8_t listed = 0;
  EXPECT_EQ(::bpf_map_lookup_elem(tomorrows.maps.units.get(), name.data(), &listed), 0);
  const ftap_log_target executable{4, 3, 0};
  std::uint32_t mounts = 0;
  EXPECT_EQ(::bpf_map_lookup_elem(tomorrows.maps.exes.get(), &executable, &mounts), 0);
  EXPECT_EQ(mounts, 5U);
}

// The older build has counted on meanwhile, and is not relieved yet.
TEST_F(LogTapUpgradeDied, AndNoTwoStreamsHaveOneNumber) {
  const test::Pipe pipe;
  constexpr flow::StreamNo kFar = 100'000'000;
  relieve_by_tomorrow(tap(start(), pipe));
  {
    const auto live = start();
  }
  lead_to_today();
  must(kernel::LogStreams::map(tomorrows_generation().maps)).raise_next(kFar);
  const auto live = start();
  EXPECT_TRUE(live.taken_over());
  EXPECT_GT(must(live.streams()).take_number(), kFar);
}

}  // namespace
}  // namespace flowtap
