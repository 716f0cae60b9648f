// A log whose beginning has made room in the store: what was found again, what goes while it is read, and where its gaps stand.
#include <gtest/gtest.h>

#include <string>

#include "stream/lines/line_assembler.hpp"
#include "stream/reading/earlier/journal_part.hpp"
#include "stream/reading/earlier/stored_outputs.hpp"
#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

using api::LogReadOptions;

class EarlierGapsTest : public EarlierLinesTest {
 protected:
  // Standard output loses bytes before the next line.
  void lose(std::uint64_t bytes) { at_[0] += bytes; }
  // Puts this text in the place of the store's first gap, of as many bytes.
  void refill(const std::string& text) {
    const auto flow = store_->find(kPodFlow);
    const auto bounds = store_->bounds(*flow);
    const auto part = store_->read(*flow, bounds->begin, bounds->end - bounds->begin);
    ASSERT_TRUE(part);
    const std::size_t mark = part->text.find("F:missing=");
    ASSERT_NE(mark, std::string::npos);
    const std::size_t begin = part->text.rfind('\n', mark) + 1;
    flow::GapFill fill{bounds->begin + begin,
                       part->text.substr(begin, part->text.find('\n', mark) + 1 - begin),
                       {},
                       text.size()};
    flow::CriTime clock;
    flow::LineAssembler lines;
    const auto put = [&](const flow::LineView& line) {
      flow::put_cri_line(fill.text, clock, {line.time, "stdout", line.full, {}, line.text});
    };
    lines.add(text, 1'800 * kSecond, put);
    lines.finish(put);
    EXPECT_EQ(*store_->fill(flow, std::array{fill}), text.size());
  }
  // 2,000 lines; the last ones are in the store. The bytes behind the first 1,950 were lost and found again.
  std::string write_with_refill() {
    const std::string found = "found\nagain\n";
    write(0, 1950);
    lose(found.size());
    write(1950, 1951);
    give_up_waiting();
    write(1951, 2000);
    refill(found);
    return numbered(0, 1950) + found + numbered(1950, 2000);
  }
};

TEST_F(EarlierGapsTest, WhatWasFoundAgainIsReadFromTheStore) {
  const std::string wanted = write_with_refill();
  ASSERT_LT(stored_lines(), 1500U);
  EXPECT_EQ(log(), wanted + "|");
  EXPECT_EQ(reader({})->missing_bytes(), 0U);
  for (const bool whole : {false, true}) {
    SCOPED_TRACE(whole);
    const auto last = [&](std::uint64_t lines) {
      return log({.tail_lines = lines, .whole_lines = whole, .gaps = true});
    };
    EXPECT_EQ(last(51), "again\n" + numbered(1950, 2000) + "|");
    EXPECT_EQ(last(stored_lines()),
              numbered(2002 - stored_lines(), 1950) + "found\nagain\n" + numbered(1950, 2000) + "|");
    EXPECT_EQ(last(1902), numbered(100, 1950) + "found\nagain\n" + numbered(1950, 2000) + "|");
    EXPECT_EQ(last(5000), wanted + "|");
  }
  EXPECT_EQ(log({.since = at_second(1000), .gaps = true}),
            numbered(1000, 1950) + "found\nagain\n" + numbered(1950, 2000) + "|");
  EXPECT_TRUE(log({.outputs = api::Outputs::kStdout, .gaps = true}).contains("found\nagain\n"));
  EXPECT_FALSE(log({.outputs = api::Outputs::kStderr, .gaps = true}).contains("found"));
  const auto follower = reader({.follow = true});
  EXPECT_EQ(drain(*follower), wanted);
  write(2000, 2010);
  EXPECT_EQ(drain(*follower), numbered(2000, 2010));
  open();
  EXPECT_EQ(log(), wanted + numbered(2000, 2010) + "|") << "after a start, too";
  // When the store has given it up, it is missing again.
  write(2010, 5000);
  EXPECT_EQ(log(), numbered(0, 1950) + "[flowtap: 12 bytes are missing here]\n" + numbered(1950, 5000) + "|");
}

// The store has made room for what the reader was to go on with, and the journal still has it.
TEST_F(EarlierGapsTest, WhatTheStoreGivesUpMeanwhileIsReadFromTheJournal) {
  write_with_refill();
  loses_meanwhile_ = true;
  const auto in_journal = reader({.gaps = true});
  const auto in_store = reader({.tail_lines = 900, .gaps = true});
  std::string got;
  while (got.size() < numbered(1102, 1950).size() - 2000) got += in_store->read(1000)->bytes;
  write(2000, 5000);
  const std::string missing = "[flowtap: 12 bytes are missing here]\n";
  EXPECT_EQ(drain(*in_journal), numbered(0, 1950) + missing + numbered(1950, 2000) + "|");
  got += drain(*in_store);
  EXPECT_TRUE(got == numbered(1102, 1950) + missing + numbered(1950, 2000) + "|" ||
              got == numbered(1102, 1950) + "found\nagain\n" + numbered(1950, 2000) + "|")
      << got;
}

// The journal makes room between the look for the last lines and their reading: what goes is a gap, and no line is taken for another.
class JournalGivesUp : public EarlierGapsTest, public testing::WithParamInterface<bool> {
 protected:
  // The lines from `first` to `end`, without some that are told as missing before the others.
  void expect_told(const std::string& got, std::uint64_t first, std::uint64_t end) {
    EXPECT_TRUE(got.ends_with(numbered(end - stored_lines(), end) + "|"));
    const auto [missing, shown] = taken_apart(got);
    EXPECT_GT(missing, 0U);
    // Nobody knows how many lines were in what went before it was counted.
    const std::size_t all = missing + shown.size();
    EXPECT_TRUE(all == numbered(first, end).size() || all == numbered(0, end).size()) << all;
    EXPECT_TRUE(numbered(first, end).ends_with(shown));
  }
};

TEST_P(JournalGivesUp, MeanwhileAndItIsTold) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  const auto tail = reader({.tail_lines = 4000, .whole_lines = GetParam(), .gaps = true});
  EXPECT_EQ(tail->missing_bytes(), 0U);
  flood(std::size_t{GetParam() ? 2048U : 900U} << 10U);
  loses_meanwhile_ = true;
  expect_told(drain(*tail), 1000, 5000);
}

// The lines are counted and then looked through for the first of the last ones, a piece at a time.
TEST_P(JournalGivesUp, BehindAnyStepAndItIsTold) {
  constexpr std::uint64_t kLines = 40'000;
  bool has_flooded = true;
  int step = 0;
  loses_meanwhile_ = true;
  for (; has_flooded; ++step) {
    SCOPED_TRACE(step);
    open();
    const std::uint64_t first = kLines * static_cast<std::uint64_t>(step);
    write(first, first + kLines);
    has_flooded = false;
    behind_step_ = [&](int at) {
      if (at == step + 1) flood(std::size_t{7} << 20U), has_flooded = true;
    };
    const auto tail = reader({.tail_lines = kLines - 1000, .whole_lines = GetParam(), .gaps = true});
    if (has_flooded) expect_told(drain(*tail), first + 1000, first + kLines);
  }
  EXPECT_GT(step, 6) << "both passes have several";
}

INSTANTIATE_TEST_SUITE_P(EarlierGapsTest, JournalGivesUp, testing::Bool());

// What is older than the time that is asked for is no gap of that time; what may be of it is one.
TEST_F(EarlierGapsTest, SinceATime) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  flood(std::size_t{2} << 20U);
  const std::uint64_t first = 5000 - stored_lines();
  const std::string rest = numbered(first, 5000);
  const std::string gap = made_room(numbered(0, first).size());
  EXPECT_EQ(log({.since = at_second(first), .gaps = true}), rest + "|");
  EXPECT_EQ(log({.since = at_second(first + 1), .gaps = true}), numbered(first + 1, 5000) + "|");
  EXPECT_EQ(log({.since = at_second(first - 1), .gaps = true}), gap + rest + "|")
      << "lines of that time have gone";
  keep(2000, 5000);
  EXPECT_EQ(log({.since = at_second(2001), .gaps = true}), numbered(2001, 5000) + "|");
  EXPECT_EQ(log({.since = at_second(1999), .gaps = true}),
            made_room(numbered(0, 2000).size()) + numbered(2000, 5000) + "|");
}

// The journal has forgotten a stream that ended long ago; what was said then is no part of what is asked for.
TEST_F(EarlierGapsTest, OfAStreamThatTheJournalHasForgotten) {
  open(std::uint64_t{1} << 20U);
  flow::Batch batch;
  const std::string old(std::size_t{10} << 10U, 'o');
  batch.add(flow::StreamEntry{7, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  batch.add(flow::BytesEntry{7, 0, kSecond, 0, flow::as_bytes(old)});
  batch.add(flow::EndEntry{7, old.size(), kSecond, {}});
  append(batch);
  flood(std::size_t{2} << 20U, 2);
  ASSERT_FALSE(journal_->stream(7));
  late_ = 10'000;
  write(0, 3000);
  ASSERT_LT(stored_lines(), 1000U);
  EXPECT_EQ(log({.since = at_second(11'000), .gaps = true}), numbered(1000, 3000) + "|");
  EXPECT_EQ(log(), made_room(old.size()) + numbered(0, 3000) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), old.size());
  EXPECT_EQ(log({.tail_lines = 3000, .gaps = true}), numbered(0, 3000) + "|");
}

// The ring lost bytes that the runtime has, and the runtime's file has lost its beginning, which the journal has: whichever of the
// two lacks less is read.
TEST_F(EarlierGapsTest, WhatLacksLessIsRead) {
  write(0, 1000);
  lose(numbered(1000, 1050).size());
  write(1050, 1051);
  give_up_waiting();
  write(1051, 5000);
  ASSERT_LT(stored_lines(), 3000U);
  loses_meanwhile_ = true;
  const std::string in_journal =
      "[flowtap: " + std::to_string(numbered(1000, 1050).size()) + " bytes are missing here]\n";
  EXPECT_EQ(log(), numbered(0, 1000) + in_journal + numbered(1050, 5000) + "|");
  keep(0, 5000);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  keep(10, 5000);
  EXPECT_EQ(log(), made_room(numbered(0, 10).size()) + numbered(10, 5000) + "|") << "the file lacks less";
  keep(500, 5000);
  EXPECT_EQ(log(), numbered(0, 1000) + in_journal + numbered(1050, 5000) + "|") << "the journal lacks less";
}

// Others have their turn between the pieces that are read before the first line is known.
TEST_F(EarlierGapsTest, IsChosenInPieces) {
  constexpr std::size_t kPieces = 20;
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  open(std::uint64_t{64} << 20U);
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  const std::string text = std::string(1023, 'x') + "\n";
  const auto say = [&](std::size_t lines, std::uint64_t time) {
    for (std::size_t n = 0; n < lines; ++n, at_[0] += text.size())
      batch.add(flow::BytesEntry{1, at_[0], time * kSecond, 0, flow::as_bytes(text)});
    append(batch);
  };
  for (std::size_t n = 0; n < kPieces; ++n) say(kPiece / text.size(), 10);
  lose(2 * kPieces * kPiece);
  say(1, 20);
  give_up_waiting();
  for (int n = 0; n < 10; ++n) say(100, 20);
  const LogReadOptions options;
  const auto flow = store_->find(kPodFlow);
  const auto of_both = [&](std::uint64_t time) {
    JournalPart part(*store_, flow, kPodFlow, options, *journal_, store_->standing(*flow));
    std::size_t pieces = 1;
    auto has_more = part.has_more_before(time * kSecond);
    for (; !has_more; ++pieces) has_more = part.has_more_before(time * kSecond);
    return std::pair(*has_more, pieces);
  };
  const auto [lacks_more, pieces] = of_both(15);
  EXPECT_FALSE(lacks_more);
  EXPECT_GE(pieces, kPieces);
  EXPECT_LE(pieces, kPieces + 5);
  EXPECT_TRUE(of_both(25).first);
}

// So it is with the first of the last lines, which may be far behind the place from which on it is looked for.
TEST_F(EarlierGapsTest, TheLastLinesAreFoundInPieces) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  options_.flow_bytes = std::uint64_t{2} << 20U;
  open(std::uint64_t{64} << 20U);
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  const std::string text = std::string(1023, 'x') + "\n";
  constexpr std::size_t kLines = 4096;
  for (std::size_t n = 0; n < kLines; ++n, at_[0] += text.size()) {
    batch.add(flow::BytesEntry{1, at_[0], (n + 1) * kSecond, 0, flow::as_bytes(text)});
    if (n % 64 == 63) append(batch);
  }
  const std::size_t stored = stored_lines() * text.size();
  ASSERT_GT(stored, 15 * kPiece);
  ASSERT_LT(stored, 33 * kPiece);
  auto tail =
      LogReader::open(*store_, *waker_, kPodFlow, {.tail_lines = stored_lines() + 100}, history_.get(), {},
                      {}, flow::Followers::Hurry::kYes, {.journal = journal_.get()});
  ASSERT_TRUE(tail);
  std::size_t steps = 1;
  for (auto done = (*tail)->prepare(); done && !*done; done = (*tail)->prepare()) ++steps;
  EXPECT_GT(steps, kLines * text.size() / kPiece)
      << "what is before the store is read, and what is behind the mark";
  const std::string got = drain(**tail);
  EXPECT_EQ(got.size(), (stored_lines() + 100) * text.size() + 1);
}

// The runtime has written nothing since, and what was captured then has made room, too.
TEST_F(EarlierGapsTest, WhatTheRuntimeHasNotWrittenAnyMoreIsTold) {
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  flood(std::size_t{2} << 20U);
  keep(0, 3000);
  const std::uint64_t first = 5000 - stored_lines();
  loses_meanwhile_ = true;
  EXPECT_EQ(log(), numbered(0, 3000) + made_room(numbered(3000, first).size()) + numbered(first, 5000) + "|");
}

// The runtime has stopped to write, and the journal has lost its beginning: what one of the two has is no gap.
TEST_F(EarlierGapsTest, WhatTheRuntimeHasNotWrittenIsReadFromTheJournal) {
  loses_meanwhile_ = true;
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  for (int rounds = 0; rounds < 64 && log().starts_with("line 0\n"); ++rounds) flood(std::size_t{32} << 10U);
  const std::string alone = log();
  ASSERT_TRUE(alone.starts_with("[flowtap: "));
  const std::uint64_t begins = std::stoull(alone.substr(alone.find("\nline ") + 6));
  ASSERT_GT(begins, 100U);
  ASSERT_LT(begins + 200, 5000 - stored_lines());
  keep(0, begins + 200);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  drops_returns_ = true;
  EXPECT_EQ(log(), numbered(0, 5000) + "|") << "there was none";
  keep(0, begins - 50);
  const std::string got = log();
  const auto [missing, shown] = taken_apart(got);
  EXPECT_GT(missing, 0U);
  EXPECT_EQ(missing + shown.size(), numbered(0, 5000).size()) << "only the rest is a gap";
  EXPECT_TRUE(shown.starts_with(numbered(0, begins - 50)));
  EXPECT_TRUE(shown.ends_with(numbered(begins + 100, 5000)));
}

// The store gives up all that was asked for while the runtime's lines are read: what came meanwhile is not read.
TEST_F(EarlierGapsTest, WhatIsWrittenWhileTheRuntimesLinesAreReadIsNotAskedFor) {
  loses_meanwhile_ = true;
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  for (int rounds = 0; rounds < 64 && log().starts_with("line 0\n"); ++rounds) flood(std::size_t{32} << 10U);
  keep(0, 4000);
  const auto whole = reader({.gaps = true});
  const auto follower = reader({.follow = true});
  const std::string begun = whole->read(1000)->bytes;
  ASSERT_TRUE(begun.starts_with(numbered(0))) << "the runtime's lines";
  write(5000, 6000);
  ASSERT_LT(stored_lines(), 1000U);
  EXPECT_EQ(begun + drain(*whole), numbered(0, 5000) + "|");
  EXPECT_EQ(drain(*follower), numbered(0, 6000));
}

// Lines from before the capture are none of those that had to make room.
TEST_F(EarlierGapsTest, SoItIsWhereTheRuntimeHasLinesFromBeforeTheCapture) {
  constexpr std::uint64_t kBefore = 1000;
  open(std::uint64_t{1} << 20U);
  late_ = kBefore;
  write(0, 5000);
  flood(std::size_t{2} << 20U, kBefore + 5000);
  std::string text;
  std::string before;
  const auto keep_line = [&](std::uint64_t second, std::string_view output, const std::string& line) {
    text += rfc3339_nano(at_second(second) + std::chrono::microseconds(50)) + " " + std::string(output) +
            " F " + line;
  };
  for (std::uint64_t n = 0; n < kBefore; ++n) {
    const std::string line = "written before the capture: " + std::to_string(n) + "\n";
    keep_line(n, "stdout", line);
    before += line;
  }
  for (std::uint64_t n = 0; n < 3000; ++n)
    keep_line(n + kBefore, n % 10 == 3 ? "stderr" : "stdout", numbered(n));
  tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", text);
  const std::uint64_t first = 5000 - stored_lines();
  const std::string rest = made_room(numbered(3000, first).size()) + numbered(first, 5000) + "|";
  loses_meanwhile_ = true;
  EXPECT_EQ(log(), before + numbered(0, 3000) + rest);
  EXPECT_EQ(log({.tail_lines = stored_lines() + 10, .gaps = true}), numbered(2990, 3000) + rest);
  EXPECT_EQ(log({.since = at_second(kBefore + 2500), .gaps = true}), numbered(2500, 3000) + rest);
  EXPECT_EQ(log({.tail_lines = stored_lines(), .gaps = true}), numbered(first, 5000) + "|")
      << "it is not asked for";
}

// Somebody writes faster than the store's log can be read.
TEST_F(EarlierGapsTest, WhoeverIsOvertakenAgainAndAgainIsToldSo) {
  options_.flow_bytes = std::uint64_t{1} << 20U;
  open();
  flow::Batch batch;
  batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
  const std::string text = std::string(4095, 'x') + "\n";
  const auto overtake = [&] {
    for (int line = 1; line <= 384; ++line) {
      batch.add(flow::BytesEntry{1, at_[0], kSecond, 0, flow::as_bytes(text)});
      at_[0] += text.size();
      if (line % 16 == 0) append(batch);
    }
  };
  overtake();
  const auto flow = store_->find(kPodFlow);
  const LogReadOptions options;
  StoredOutputs outputs(*store_, flow, options);
  auto done = outputs.step();
  for (int steps = 0; steps < 100 && done; ++steps) {
    ASSERT_FALSE(*done);
    overtake();
    done = outputs.step();
  }
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ESTALE);
  EXPECT_FALSE(done.error().hint.empty());
  StoredOutputs quiet(*store_, flow, options);
  for (done = quiet.step(); done && !*done; done = quiet.step()) continue;
  EXPECT_TRUE(done) << "it does not make room meanwhile";
}

// The store's log begins amid a long line.
TEST_F(EarlierGapsTest, TheLastLinesBeginWhereALineBegins) {
  flow::Batch batch;
  for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
    batch.add(flow::StreamEntry{
        stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
  const std::string text = "before\n" + std::string(3 * flow::kMaxLine + 100, 'x') + "\n";
  batch.add(flow::BytesEntry{1, 0, kSecond, 0, flow::as_bytes(text)});
  append(batch);
  const std::string err = "problem\n";
  batch.add(flow::BytesEntry{2, 0, 2 * kSecond, 0, flow::as_bytes(err)});
  append(batch);
  const std::string more = "end\n";
  batch.add(flow::BytesEntry{1, text.size(), 3 * kSecond, 0, flow::as_bytes(more)});
  append(batch);
  const auto last = [this](std::uint64_t lines) {
    return log({.tail_lines = lines, .whole_lines = true, .gaps = true});
  };
  ASSERT_EQ(stored_lines(), 3U);
  const std::string rest = err + more + "|";
  for (const bool runtimes : {false, true}) {
    SCOPED_TRACE(runtimes);
    EXPECT_EQ(last(1), more + "|");
    EXPECT_EQ(last(2), rest);
    EXPECT_TRUE(last(3) == text.substr(7) + rest);
    EXPECT_TRUE(last(4) == text + rest);
    std::string kept = "1970-01-01T00:00:01.00005Z stdout F before\n";
    for (int part = 0; part < 3; ++part)
      kept += "1970-01-01T00:00:01.00005Z stdout P " + std::string(flow::kMaxLine, 'x') + "\n";
    tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log",
               kept + "1970-01-01T00:00:01.00005Z stdout F " + std::string(100, 'x') +
                   "\n1970-01-01T00:00:02.00005Z stderr F problem\n"
                   "1970-01-01T00:00:03.00005Z stdout F end\n");
    if (!runtimes) open(std::uint64_t{1} << 20U), flood(std::size_t{2} << 20U, 4);
  }
}

}  // namespace
}  // namespace flowtap
