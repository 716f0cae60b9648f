// A log that is joined from what the runtime has kept and what the store has.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "base/wall_clock.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/repair/before_counter.hpp"
#include "stream/repair/flow_audit.hpp"
#include "stream/repair/gaps/flow_gaps.hpp"
#include "stream/repair/gaps/refiller.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/reads_watch.hpp"
#include "tests/unit/stream/repair/bytes_read.hpp"
#include "tests/unit/stream/repair/history_kit.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using api::LogReadOptions;
using std::chrono::system_clock;

TEST_F(HistoryTest, IsJoinedToWhatIsKept) {
  keep(0, 100);
  capture(60, 120);
  EXPECT_EQ(log(), lines(0, 120));
  EXPECT_EQ(log({.follow = true}), lines(0, 120) + "...");
  keep(0, 120);
  EXPECT_EQ(log(), lines(0, 120)) << "the runtime has all of it";
  keep(0, 55);
  EXPECT_EQ(log(), lines(0, 55) + lines(60, 120)) << "what the runtime has not got yet, nobody has";
  keep(90, 120);
  EXPECT_EQ(log(), lines(60, 120)) << "it keeps less than we do";
}

TEST_F(HistoryTest, OfAFlowThatOnlyTheRuntimeKnows) {
  EXPECT_EQ(log(), "the flow \"" + kFlow + "\" is not known on this node");
  keep(0, 50);
  EXPECT_EQ(log(), lines(0, 50));
  EXPECT_EQ(log({.follow = true}), lines(0, 50)) << "and ends";
  EXPECT_EQ(log({.tail_lines = 5}), lines(45, 50));
  EXPECT_EQ(log({.since = second(48)}), lines(48, 50));
  EXPECT_EQ(log({.limit_bytes = 10}), lines(0, 50).substr(0, 10));
  EXPECT_EQ(log({.outputs = api::Outputs::kStderr}), line(3) + line(13) + line(23) + line(33) + line(43));
  EXPECT_EQ(log({.timestamps = true, .tail_lines = 1}), "1970-01-01T00:00:49.000000000Z line 49\n");
}

TEST_F(HistoryTest, TheLastLinesOfBoth) {
  keep(0, 20'000);
  capture(15'000, 20'010);
  for (const std::uint64_t n : {1U, 5009U, 5010U, 5011U, 5500U, 12'000U, 20'009U, 20'010U, 30'000U})
    EXPECT_EQ(log({.tail_lines = n}), lines(20'010 - std::min<std::uint64_t>(n, 20'010), 20'010)) << n;
  EXPECT_EQ(log({.tail_lines = 6000, .since = second(14'500)}), lines(14'500, 20'010));
  EXPECT_EQ(log({.tail_lines = 0}), "");
}

TEST_F(HistoryTest, TheLastLinesOfBothWithGaps) {
  keep(0, 100);
  capture(60, 80);
  lose(80), lose(81);
  capture(82, 100);
  for (const std::uint64_t n : {1U, 18U, 19U, 38U, 39U, 50U, 98U})
    EXPECT_EQ(std::ranges::count(log({.tail_lines = n}), '\n'), static_cast<std::ptrdiff_t>(n)) << n;
}

TEST_F(HistoryTest, MoreLinesThanThereCanBeAreNotCounted) {
  keep(0, 20'000);
  std::uint64_t before = bytes_read();
  const std::string all = log();
  const std::uint64_t once = bytes_read() - before;
  before = bytes_read();
  EXPECT_TRUE(log({.tail_lines = 100'000'000}) == all);
  EXPECT_LT(bytes_read() - before, once + once / 2);
}

TEST_F(HistoryTest, SinceATime) {
  keep(0, 20'000);
  capture(15'000, 20'010);
  EXPECT_EQ(log({.since = second(14'000)}), lines(14'000, 20'010));
  EXPECT_EQ(log({.since = second(19'000) - 1s}), lines(19'000, 20'010)) << "the store has it: 19 000 - 50 us";
  EXPECT_EQ(log({.limit_bytes = 5}), "line ");
}

// A log that is known to be whole is not looked for again. Once its beginning has made room, it is.
TEST_F(HistoryTest, IsLookedForAgainWhereTheBeginningHasMadeRoom) {
  keep(1, 1000);
  capture(1, 1000);
  EXPECT_EQ(log(), lines(1, 1000));
  const auto flow = store_->find(kFlow);
  EXPECT_TRUE(history_->is_whole(*flow, 0));
  EXPECT_FALSE(history_->is_whole(*flow, 100));
  store_.reset();
  store_ = flow::FlowStore::open({.dir = dir_ / "", .flow_bytes = 20'000});
  at_ = {};
  capture(1, 1000);
  store_->flush({}, 1, true);
  EXPECT_GT(store_->bounds(*store_->find(kFlow))->begin, 0U);
  EXPECT_EQ(log(), lines(1, 1000));
}

TEST_F(HistoryTest, SaysWhatItCannotRead) {
  keep(10, 20);
  tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log.20260101-000000.gz", "no gzip");
  EXPECT_EQ(log(),
            lines(10, 20) +
                "[flowtap: not all that the runtime has kept could be read: 0.log.20260101-000000.gz is "
                "broken: incorrect header check]\n");
}

TEST_F(HistoryTest, EqualFlowsAreFoundEqual) {
  const auto audit = [&] { return audit_flow(*store_, *history_, kFlow, [] { return true; }).result; };
  EXPECT_EQ(audit(), AuditResult::kGone) << "it is not there";
  capture(1, 5000);
  EXPECT_EQ(audit(), AuditResult::kNoSource);
  keep(1, 5000);
  EXPECT_EQ(audit(), AuditResult::kEqual);
  EXPECT_EQ(audit_flow(*store_, *history_, kFlow, [] { return false; }).result, AuditResult::kGone)
      << "told to stop";
  keep(1, 5001);
  EXPECT_EQ(audit(), AuditResult::kDiffers) << "the last line was not captured";
  keep(1, 4999);
  EXPECT_EQ(audit(), AuditResult::kDiffers) << "the runtime lacks one";
  keep(3000, 5000);
  EXPECT_EQ(audit(), AuditResult::kIncomplete) << "rotated away";
}

TEST_F(HistoryTest, WhatIsOlderThanAFlowIsNoDifference) {
  capture(2000, 5000);
  keep(1, 5000);
  const auto audit = [&] { return audit_flow(*store_, *history_, kFlow, [] { return true; }).result; };
  EXPECT_EQ(audit(), AuditResult::kEqual);
  {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow(kFlow), 1, "stdout", at_[0] + 100, 5000 * std::uint64_t{1'000'000'000});
  }
  EXPECT_EQ(audit(), AuditResult::kIncomplete) << "with a gap";
}

// With one byte too few in the middle, the two are not equal.
TEST_F(HistoryTest, AByteIsADifference) {
  capture(1, 2000);
  at_[0] += 1;
  capture(2001, 3000);
  keep(1, 3000);
  const FlowAudit audit = audit_flow(*store_, *history_, kFlow, [] { return true; });
  EXPECT_EQ(audit.result, AuditResult::kDiffers);
  std::size_t equal = 0;
  for (std::uint64_t n = 1; n < 2000; ++n)
    if (n % 10 != 3) equal += line(n).size();
  // "line 2001" was captured, and the runtime has "line 2000".
  EXPECT_EQ(audit.difference, "stdout differs after " + std::to_string(equal + 8) + " equal bytes");
}

TEST_F(HistoryTest, WhatDiffersIsSaid) {
  const auto difference = [&] {
    return audit_flow(*store_, *history_, kFlow, [] { return true; }).difference;
  };
  const auto of_stdout = [](std::uint64_t to) {
    std::size_t bytes = 0;
    for (std::uint64_t n = 11; n < to; ++n) bytes += n % 10 == 3 ? 0 : line(n).size();
    return std::to_string(bytes);
  };
  capture(11, 13);
  keep(11, 13);
  EXPECT_EQ(difference(), "");
  keep(11, 14);
  EXPECT_EQ(difference(), "stderr: only the runtime's file has any, 8 bytes");
  store_->set_before(kFlow, {.state = flow::Before::State::kUncounted});
  EXPECT_EQ(difference(), "") << "it may have written them before it was captured";
  store_->set_before(kFlow, {});
  capture(13, 2000);
  keep(11, 1999);
  EXPECT_EQ(difference(), "stdout: the runtime's file ends after " + of_stdout(1999) + " equal bytes");
  keep(11, 2001);
  EXPECT_EQ(difference(),
            "stdout: only the runtime's file goes on after " + of_stdout(2000) + " equal bytes");
  keep(0, 1);
  EXPECT_EQ(difference(), "stdout begins with bytes that the runtime's file does not have");
}

// A container wrote before it was captured. That is counted once, however much is captured meanwhile.
TEST_F(HistoryTest, WhatWasWrittenBeforeIsCounted) {
  using State = flow::Before::State;
  keep(0, 100);
  capture(60, 80);
  const auto before = [&] { return store_->summary(kFlow)->before; };
  const flow::Before counted{.state = State::kCounted, .bytes = lines(0, 60).size(), .lines = 60};
  {
    BeforeCounter counter(*store_, *history_);
    EXPECT_EQ(before().state, State::kNone);
    counter.add(kFlow, 60'000'000'000);
    EXPECT_TRUE(test::eventually([&] { return before() == counted; }))
        << before().bytes << ' ' << before().lines;
    counter.add(kFlow, 60'000'000'000);  // another of its streams
    EXPECT_EQ(before(), counted);
  }
  EXPECT_EQ(store_->summary(kFlow)->lines, 20U) << "what was captured is told apart";
  store_->flush({}, 1, true);
  store_ = flow::FlowStore::open({.dir = dir_ / ""});
  EXPECT_EQ(before(), counted) << "over a start";
}

// Its runtime makes the file later, or somebody mends what could not be read.
TEST_F(HistoryTest, WhatWasWrittenBeforeIsTriedAgain) {
  using State = flow::Before::State;
  const auto before = [&] { return store_->summary(kFlow)->before; };
  capture(60, 80);
  const std::string folder = "var/log/pods/shop_web-0_" + kUid + "/app/";
  tree_.file(folder + "other", "");
  const test::ReadsWatch tried(tree_.root() + "/" + folder);
  BeforeCounter counter(*store_, *history_, 10ms);
  counter.add(kFlow, 60'000'000'000);
  EXPECT_TRUE(test::eventually([&] { return tried.was_read(); }));
  EXPECT_EQ(before().state, State::kUncounted);
  counter.add(kFlow, 70'000'000'000);
  keep(0, 100);
  EXPECT_TRUE(test::eventually([&] { return before().state == State::kCounted; }));
  EXPECT_EQ(before(), (flow::Before{.state = State::kCounted, .bytes = lines(0, 60).size(), .lines = 60}));
}

// Its lines are parts of 16 KiB in the runtime's file, and one that it has not ended is a line, too.
TEST_F(HistoryTest, WhatASilentContainerWroteBeforeIsCountedByLines) {
  std::string text;
  for (int part = 0; part < 200; ++part)
    text += rfc3339_nano(second(7)) + " stdout P " + std::string(16'384, 'x') + "\n";
  text += rfc3339_nano(second(8)) + " stdout F end\n" + rfc3339_nano(second(9)) + " stderr F no\n" +
          rfc3339_nano(second(9)) + " stdout P prompt> \n";
  tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  {
    flow::FlowStore::Writing writing(*store_, {});
    writing.open_stream(*writing.flow(kFlow));
  }
  store_->set_before(kFlow, {.state = flow::Before::State::kUncounted});
  BeforeCounter counter(*store_, *history_);  // an earlier service has not come to it
  EXPECT_TRUE(test::eventually([&] { return store_->summary(kFlow)->before.bytes != 0; }));
  EXPECT_EQ(store_->summary(kFlow)->before, (flow::Before{.state = flow::Before::State::kCounted,
                                                          .bytes = 200 * std::uint64_t{16'384} + 4 + 3 + 8,
                                                          .lines = 3}));
  EXPECT_EQ(log({.tail_lines = 2}), "no\nprompt> ");
}

// kubelet counts the parts of a long line; people do not.
TEST_F(HistoryTest, TheLastWholeLines) {
  const std::string megabytes(3'000'000, 'm');
  std::string text;
  std::string wanted;
  const auto keep_line = [&](std::string_view line) {
    wanted.append(line).append(1, '\n');
    for (; line.size() > 16'384; line.remove_prefix(16'384))
      text += rfc3339_nano(second(7)) + " stdout P " + std::string(line.substr(0, 16'384)) + "\n";
    text += rfc3339_nano(second(7)) + " stdout F " + std::string(line) + "\n";
  };
  for (int i = 0; i < 3000; ++i) keep_line("line " + std::to_string(i));
  keep_line(megabytes);
  keep_line("last");
  tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  const auto last = [&](std::size_t lines) {
    std::size_t at = wanted.size() - 1;
    for (; lines > 0 && at != std::string::npos; --lines) at = wanted.rfind('\n', at - 1);
    return at == std::string::npos ? wanted : wanted.substr(at + 1);
  };
  for (const std::size_t tail : {1U, 2U, 3U, 2000U, 3001U})
    EXPECT_TRUE(log({.tail_lines = tail, .whole_lines = true}) == last(tail)) << tail;
  EXPECT_TRUE(log({.tail_lines = 5000, .whole_lines = true}) == wanted);
  EXPECT_TRUE(log({.tail_lines = 2}) == std::string(3'000'000 % 16'384, 'm') + "\nlast\n")
      << "kubelet's rule";
  {
    // The store has the last two of them.
    flow::FlowStore::Writing writing(*store_, {});
    flow::LineAssembler lines;
    lines.add(megabytes + "\nlast\n", 7'000'000'000,
              [&](const flow::LineView& line) { writing.add(*writing.flow(kFlow), 1, "stdout", line); });
  }
  EXPECT_EQ(store_->summary(kFlow)->lines, 2U);
  for (const std::size_t tail : {1U, 2U, 3U, 2000U, 3001U})
    EXPECT_TRUE(log({.tail_lines = tail, .whole_lines = true}) == last(tail)) << tail << ", of both";
}

// Somebody follows from a moment on when an output has said nothing since its capture began. Older lines are only in the
// runtime's file, however new they are, and the others are on their way.
TEST_F(HistoryTest, WhatWasWrittenJustBeforeTheCaptureBeganIsNotMissing) {
  const std::uint64_t now = wall_ns() / 1'000'000'000;
  capture(0, 0);
  store_->expect(kFlow);
  keep(now + 900, now + 910);  // late enough for a slow machine
  const auto read = [&](std::uint64_t captured_since) {
    auto reader = LogReader::open(*store_, *waker_, kFlow, {.follow = true}, history_.get(), nullptr,
                                  CapturedTimes{.since = captured_since * 1'000'000'000});
    EXPECT_TRUE(reader && *(*reader)->prepare());
    std::string all;
    for (auto piece = (*reader)->read(1000); piece->again || !piece->bytes.empty();
         piece = (*reader)->read(1000))
      all += piece->bytes;
    return all;
  };
  EXPECT_EQ(read(now + 906), lines(now + 900, now + 906));
  EXPECT_EQ(read(0), "") << "all of it was captured";
}

// A follower waits for a gap that has just come, and gets what the gap is filled with.
TEST_F(HistoryTest, AFollowerWaitsForAGapToBeFilled) {
  capture(1, 100);
  follow();
  EXPECT_EQ(followed(), lines(1, 100));
  lose(100);
  capture(101, 200);
  EXPECT_EQ(followed(), "") << "it waits";
  keep(1, 200);
  GapsDecided decided;
  const GapRound round = fill_gaps(*store_, *history_, kFlow, decided, {});
  EXPECT_EQ(round.bytes.at(static_cast<std::size_t>(RefillResult::kExact)), line(100).size())
      << "however slowly they came";
  EXPECT_EQ(followed(), lines(100, 200));
}

// Nobody fills the gaps of flows that have some of another flow's lines.
TEST_F(HistoryTest, AFollowerOfASchedulersRecordsWaitsForNothing) {
  {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("sched/ns/pod");
    writing.add(*flow, 1, "stderr", {"before", true, 0, 7, 1'000'000'000});
    writing.add_source_gap(*flow, 1, "stderr", 10, 3, 2'000'000'000);
    writing.add(*flow, 1, "stderr", {"behind", true, 10, 17, 2'000'000'000});
  }
  auto reader = LogReader::open(*store_, *waker_, "sched/ns/pod", {.follow = true}, history_.get());
  ASSERT_TRUE(reader);
  follower_ = std::move(*reader);
  EXPECT_EQ(followed(), "before\n" + flow::scheduler_gap_text(3) + "\nbehind\n");
}

// Each gap is waited for by itself, however long ago the one before was filled.
TEST_F(HistoryTest, AFollowerWaitsForTheNextGapAsWell) {
  capture(1, 3);
  follow();
  const auto find = [&](const std::string& text) {
    const auto flow = store_->find(kFlow);
    const std::string log = store_->read(*flow, 0, 100'000)->text;
    const std::size_t tag = log.find("F:missing");
    const std::size_t from = log.rfind('\n', tag) + 1;
    const flow::GapFill fill{from, log.substr(from, log.find('\n', from) + 1 - from),
                             rfc3339_nano(second(1)) + " stdout F " + text, text.size()};
    EXPECT_EQ(store_->fill(flow, std::array{fill}).value(), text.size());
  };
  EXPECT_EQ(followed(), lines(1, 3));
  lose(4), capture(5, 6);
  EXPECT_EQ(followed(), "") << "it waits";
  find(line(4));
  EXPECT_EQ(followed(), lines(4, 6));
  // Until nobody would wait for the first one any more: what wakes readers says so.
  std::atomic<bool> is_over = false;
  waker_->later(&is_over, [&is_over] { is_over = true; }, ReaderWaker::Clock::now() + kFollowerPatience);
  EXPECT_TRUE(test::eventually([&] { return is_over.load(); }));
  lose(6), capture(7, 8);
  EXPECT_EQ(followed(), "") << "it waits again";
  find(line(6));
  EXPECT_EQ(followed(), lines(6, 8));
}

}  // namespace
}  // namespace flowtap
