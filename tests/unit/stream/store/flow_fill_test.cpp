// Gaps in the logs of flows that are filled from elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {
namespace {

// Filling a gap in the file, in memory, and over a start.
class FillTest : public testing::Test {
 protected:
  void SetUp() override {
    Writer writer(*store_, "f", 1);
    writer.say("one");
    at_ = writer.at();
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    writing.add_gap(*flow, 1, "stdout", at_ + 100, 5);
    writing.add(*flow, 1, "stdout", {"two", true, at_ + 100, at_ + 104, 6});
  }
  // A fill for the gap of 100 bytes, or for a part of it.
  [[nodiscard]] GapFill fill(const std::string& text, std::uint64_t bytes) const {
    const std::string log = log_of(*store_, "f");
    const std::size_t at = log.find('\n') + 1;
    std::string filled;
    CriTime clock;
    put_cri_line(filled, clock, {5, "stdout", true, {}, text});
    return {at, log.substr(at, log.find('\n', at) + 1 - at), filled, bytes};
  }
  // Fills for all gaps, in this order.
  [[nodiscard]] std::vector<GapFill> fills_of(const std::vector<std::string>& texts) const {
    const std::string log = log_of(*store_, "f");
    std::vector<GapFill> fills;
    for (std::size_t line = 0; line < log.size(); line = log.find('\n', line) + 1) {
      const std::string text = log.substr(line, log.find('\n', line) + 1 - line);
      const auto parsed = parse_cri_line(std::string_view(text).substr(0, text.size() - 1));
      if (!parsed || !parsed->missing) continue;
      GapFill& fill = fills.emplace_back(line, text, std::string(), *parsed->missing);
      CriTime clock;
      put_cri_line(fill.text, clock,
                   {8, "stdout", true, {}, texts.at(std::min(fills.size(), texts.size()) - 1)});
    }
    return fills;
  }
  void open() {
    store_.reset();
    store_ = FlowStore::open({.dir = dir_ / ""});
  }

  TmpfsDir dir_;
  std::unique_ptr<FlowStore> store_ = FlowStore::open({.dir = dir_ / ""});
  std::uint64_t at_ = 0;
};

// What is lost is not missing for good before somebody has looked for it, and is again once more of it is lost.
TEST_F(FillTest, IsSoughtUntilWhoeverTookItHasLooked) {
  const auto is_sought = [&] { return store_->summary("f")->sought; };
  EXPECT_TRUE(is_sought()) << "nobody has taken it";
  EXPECT_EQ(store_->take_gapped(), std::vector<std::string>{"f"});
  EXPECT_TRUE(is_sought());
  store_->settle_gaps("f");
  EXPECT_FALSE(is_sought());
  store_->flush({}, 1, true), open();
  EXPECT_TRUE(is_sought()) << "a start looks anew";
}

// What is missing for good, and what was found again, does not become less because a flow has made room.
TEST_F(FillTest, WhatAFlowThatIsGoneHasLackedCounts) {
  constexpr std::uint64_t kLate = 1'000'000'000ULL * 3600 * 24;
  const auto sums = [&] {
    Lacked all = store_->stats().gone;
    for (const FlowSummary& flow : store_->flows()) {
      all.missing += flow.missing;
      all.refilled += flow.refilled;
    }
    return all;
  };
  const Lacked expected{.missing = 40, .refilled = 60};
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{fill("found", 60)}).value(), 60U);
  Writer(*store_, "f", 1).end(10);
  EXPECT_EQ(sums(), expected) << "the flow is there";
  store_->flush({}, kLate, true);
  ASSERT_EQ(store_->find("f"), nullptr);
  EXPECT_EQ(sums(), expected);
  Writer(*store_, "f", 2).say("another process of the unit");
  EXPECT_EQ(sums(), expected);
  EXPECT_EQ(store_->summary("f")->lines, 4U) << "one flow";
  store_->flush({}, kLate, true), open();
  EXPECT_EQ(sums(), expected) << "it is in the index";
}

TEST_F(FillTest, InMemoryAndInTheFile) {
  const std::vector<std::string> filled{"one", "found", "two"};
  for (const bool in_file : {false, true}) {
    if (in_file) {
      open();
      SetUp();
      store_->flush({}, 1, true);
    }
    EXPECT_EQ(lines_of(log_of(*store_, "f")), (std::vector<std::string>{"one", "<100>", "two"}));
    EXPECT_EQ(store_->take_gapped(), std::vector<std::string>{"f"});
    const auto flow = store_->find("f");
    LogPosition end = store_->bounds(*flow)->end;
    LogPosition begin = 0;
    std::uint64_t lines = 3;
    const auto change = fill("found", 100);
    EXPECT_EQ(store_->fill(flow, std::array{change}).value(), 100U);
    EXPECT_EQ(lines_of(log_of(*store_, "f")), filled);
    EXPECT_EQ(store_->summary("f")->lines, 3U) << "the gap was none";
    EXPECT_EQ(store_->summary("f")->missing, 0U);
    EXPECT_EQ(store_->summary("f")->refilled, 100U);
    EXPECT_EQ(store_->summary("f")->lines, 3U);
    EXPECT_EQ(store_->move(*flow, 0, std::array{&end, &begin}, lines), 1U);
    EXPECT_EQ(end, store_->bounds(*flow)->end) << "who stood at the end stands there";
    EXPECT_EQ(begin, 0U);
    EXPECT_EQ(lines, 3U);
    EXPECT_EQ(store_->fill(flow, std::array{change}).value(), 0U) << "it is not there any more";
    store_->flush({}, 1, true);
    open();
    EXPECT_EQ(lines_of(log_of(*store_, "f")), filled);
    EXPECT_EQ(lines_of(file_of(dir_ / "", "f")), filled);
    EXPECT_EQ(store_->summary("f")->refilled, 100U);
    open();
    std::filesystem::remove_all(dir_ / "");
    std::filesystem::create_directory(dir_ / "");
  }
}

// A start that finds the file replaced goes on with it, and the journal's lines again change nothing.
TEST_F(FillTest, IsKeptByAProcessThatIsKilled) {
  store_->flush({}, 1, true);
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{fill("found", 100)}).value(), 100U);
  open();
  SetUp();
  EXPECT_EQ(lines_of(log_of(*store_, "f")), (std::vector<std::string>{"one", "found", "two"}));
  EXPECT_EQ(store_->summary("f")->missing, 0U);
}

// Lines that were filled in memory alone are lost with it, and count when they are filled again.
TEST_F(FillTest, CountsOnceAlsoForAProcessThatIsKilled) {
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{fill("found", 100)}).value(), 100U);
  open();
  SetUp();
  EXPECT_EQ(store_->summary("f")->missing, 100U);
  EXPECT_EQ(store_->summary("f")->refilled, 0U);
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{fill("found", 100)}).value(), 100U);
  EXPECT_EQ(store_->summary("f")->refilled, 100U);
}

TEST_F(FillTest, GapsFromBeforeAStartAreLookedForAgain) {
  store_->flush({}, 1, true);
  open();
  EXPECT_EQ(store_->take_gapped(), std::vector<std::string>{"f"});
}

// The log is as long as it may be. Its oldest lines make room for what was found, as they do for new lines.
TEST_F(FillTest, ItsOldestLinesMakeRoom) {
  store_.reset();
  store_ = FlowStore::open({.dir = dir_ / "", .flow_bytes = 300});
  SetUp();
  store_->flush({}, 1, true);
  const std::string found(99, 'x');
  GapFill change = fill(found, 100);
  change.text.insert(change.text.size() - 1, 100, 'x');  // too much for the line before it
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{change}).value(), 100U);
  const std::vector<std::string> left{std::string(199, 'x'), "two"};
  EXPECT_EQ(lines_of(log_of(*store_, "f")), left);
  EXPECT_EQ(store_->summary("f")->missing, 0U);
  EXPECT_EQ(store_->bounds(*store_->find("f"))->made_room, 4U);
  EXPECT_EQ(store_->stats().evicted_bytes.at(static_cast<std::size_t>(Eviction::kFlowBytes)), 44U);
  open();
  EXPECT_EQ(lines_of(log_of(*store_, "f")), left);
  EXPECT_EQ(store_->bounds(*store_->find("f"))->made_room, 4U);
}

// More was found than the log may have. All of it is found, and what is newest stays.
TEST_F(FillTest, WhatWasFoundMakesRoomAsWell) {
  store_.reset();
  store_ = FlowStore::open({.dir = dir_ / "", .flow_bytes = 300});
  constexpr std::uint64_t kLine = 101;
  {
    Writer(*store_, "f", 1).say("one");
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    writing.add_gap(*flow, 1, "stdout", 4 + 3 * kLine, 5);
    writing.add(*flow, 1, "stdout", {"two", true, 4 + 3 * kLine, 8 + 3 * kLine, 6});
  }
  store_->flush({}, 1, true);
  const LogPosition end_before = store_->find("f")->log.end();
  GapFill change = fill("", 3 * kLine);
  change.text.clear();
  CriTime clock;
  for (const char c : {'a', 'b', 'c'})
    put_cri_line(change.text, clock, {5, "stdout", true, {}, std::string(kLine - 1, c)});
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{change}).value(), 3 * kLine);
  const std::vector<std::string> left{std::string(kLine - 1, 'c'), "two"};
  EXPECT_EQ(lines_of(log_of(*store_, "f")), left);
  const auto bounds = store_->bounds(*store_->find("f"));
  EXPECT_EQ(bounds->made_room, 4 + 2 * kLine);
  EXPECT_EQ(bounds->bytes - bounds->made_room, kLine + 4);
  EXPECT_EQ(bounds->lines_before, 3U);
  EXPECT_EQ(store_->summary("f")->lines, 5U);
  EXPECT_EQ(store_->summary("f")->missing, 0U);
  EXPECT_EQ(store_->summary("f")->refilled, 3 * kLine);
  LogPosition at = end_before;
  std::uint64_t lines = 3;
  store_->find("f")->log.move(0, at, lines);
  EXPECT_EQ(at, store_->find("f")->log.end()) << "whoever had read all goes on there";
  EXPECT_EQ(lines, 5U);
}

// The store is full, as on any busy node. Flows that ended earlier go, as they do for new lines.
TEST_F(FillTest, WhatEndedBeforeMakesRoom) {
  store_.reset();
  store_ = FlowStore::open({.dir = dir_ / "", .store_bytes = 3 * kFilePage});
  SetUp();
  const auto change = fill(std::string(2 * kFilePage, 'x'), 100);
  const auto refuses = [&] {
    const auto filled = store_->fill(store_->find("f"), std::array{change});
    return !filled && filled.error().code == ENOSPC;
  };
  Writer first(*store_, "first", 2);
  Writer second(*store_, "second", 3);
  first.say("x"), second.say("x");
  store_->flush({}, 1, true);
  ASSERT_EQ(store_->stats().file_bytes, 3 * kFilePage);
  EXPECT_TRUE(refuses()) << "all are written to";
  first.end(10);
  EXPECT_TRUE(refuses()) << "too little has ended";
  EXPECT_TRUE(store_->find("first")) << "none goes for nothing";
  Writer(*store_, "f", 1).end(15);
  second.end(20);
  EXPECT_TRUE(refuses()) << "one that ended later stays";
  {
    FlowStore::Writing writing(*store_, {});
    writing.end_stream(*writing.flow("second"), 12);
  }
  EXPECT_EQ(store_->fill(store_->find("f"), std::array{change}).value(), 100U);
  EXPECT_FALSE(store_->find("first") || store_->find("second"));
  EXPECT_EQ(store_->stats().evicted_flows.at(static_cast<std::size_t>(Eviction::kStoreBytes)), 2U);
  EXPECT_EQ(store_->stats().file_bytes, 3 * kFilePage);
  open();
  EXPECT_EQ(lines_of(log_of(*store_, "f")),
            (std::vector<std::string>{"one", std::string(2 * kFilePage, 'x'), "two"}));
  EXPECT_EQ(store_->stats().flows, 1U);
}

// Others are written to, so only its own lines can go. It has no more afterwards than before.
TEST_F(FillTest, InAFullStoreItsOwnOldestLinesMakeRoom) {
  store_.reset();
  store_ = FlowStore::open({.dir = dir_ / "", .store_bytes = 2 * kFilePage});
  constexpr std::uint64_t kLine = 101;
  constexpr std::uint64_t kLines = 60;
  {
    Writer(*store_, "f", 1).say("one");
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    writing.add_gap(*flow, 1, "stdout", 4 + kLines * kLine, 5);
    writing.add(*flow, 1, "stdout", {"two", true, 4 + kLines * kLine, 8 + kLines * kLine, 6});
  }
  Writer(*store_, "other", 2).say("x");
  store_->flush({}, 1, true);
  GapFill change = fill("", kLines * kLine);
  change.text.clear();
  CriTime clock;
  std::vector<std::string> wanted;
  for (std::uint64_t n = 0; n < kLines; ++n) {
    wanted.push_back(std::to_string(100 + n) + std::string(kLine - 4, 'x'));
    put_cri_line(change.text, clock, {5, "stdout", true, {}, wanted.back()});
  }
  wanted.emplace_back("two");
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{change}).value(), kLines * kLine);
  const std::vector<std::string> left = lines_of(log_of(*store_, "f"));
  EXPECT_GT(left.size(), 20U);
  EXPECT_EQ(left,
            std::vector<std::string>(wanted.end() - static_cast<std::ptrdiff_t>(left.size()), wanted.end()));
  EXPECT_EQ(store_->stats().file_bytes, 2 * kFilePage);
  EXPECT_TRUE(store_->find("other"));
  EXPECT_GT(store_->stats().evicted_bytes.at(static_cast<std::size_t>(Eviction::kStoreBytes)), 0U);
  const auto bounds = store_->bounds(*store_->find("f"));
  EXPECT_EQ(bounds->bytes - bounds->made_room, (left.size() - 1) * kLine + 4);
}

// One line was found that is longer than the room. What was captured stays.
TEST_F(FillTest, NothingGoesForALineThatDoesNotFit) {
  store_.reset();
  store_ = FlowStore::open({.dir = dir_ / "", .flow_bytes = 300});
  SetUp();
  store_->flush({}, 1, true);
  const std::string before = log_of(*store_, "f");
  const auto filled = store_->fill(store_->find("f"), std::array{fill(std::string(400, 'x'), 100)});
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, ENOSPC);
  EXPECT_EQ(log_of(*store_, "f"), before);
  EXPECT_EQ(store_->summary("f")->missing, 100U);
}

// The time is linear in the texts. If it were not, this would take longer than ctest waits.
TEST_F(FillTest, ManyGapsAreFilledAtOnce) {
  constexpr std::uint64_t kGaps = 60'000;
  constexpr std::uint64_t kFound = 200;
  std::uint64_t at = 0;
  {
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("many");
    for (std::uint64_t n = 0; n < kGaps; ++n) {
      at += kFound;
      writing.add_gap(*flow, 2, "stdout", at, 5);
      writing.add(*flow, 2, "stdout", {"x", true, at, at + 2, 6});
      at += 2;
    }
  }
  store_->flush({}, 1, true);
  const auto flow = store_->find("many");
  const std::string log = log_of(*store_, "many", std::size_t{1} << 20U);
  std::vector<GapFill> fills;
  CriTime clock;
  for (std::size_t line = 0; line < log.size(); line = log.find('\n', line) + 1) {
    const std::string text = log.substr(line, log.find('\n', line) + 1 - line);
    if (!cri_part(std::string_view(text).substr(0, text.size() - 1)).gap) continue;
    GapFill& fill = fills.emplace_back(flow->log.base() + line, text, std::string(), kFound);
    put_cri_line(fill.text, clock, {8, "stdout", true, {}, std::string(kFound - 1, 'y')});
  }
  ASSERT_GT(fills.size(), 10'000U);
  EXPECT_EQ(store_->fill(flow, fills).value(), fills.size() * kFound);
  const auto bounds = store_->bounds(*flow);
  EXPECT_GT(bounds->made_room, 0U);
  std::uint64_t left = 0;
  for (const std::string& line : lines_of(log_of(*store_, "many", std::size_t{1} << 20U))) {
    EXPECT_TRUE(line == "x" || line == std::string(kFound - 1, 'y')) << line;
    left += line.size() + 1;
  }
  EXPECT_EQ(bounds->bytes - bounds->made_room, left);
}

// While the file with the filled gaps is put together, lines are added, and those in memory are written to the file.
TEST_F(FillTest, WhatIsWrittenMeanwhileStandsBehind) {
  store_->flush({}, 1, true);
  FlowLog& log = store_->find("f")->log;
  const auto say = [&](const char* text, std::uint64_t from) {
    FlowStore::Writing writing(*store_, {});
    writing.add(*writing.flow("f"), 1, "stdout", {text, true, at_ + from, at_ + from + 6, 7});
  };
  const auto lose = [&](std::uint64_t upto) {
    FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow("f"), 1, "stdout", at_ + upto, 6);
  };
  lose(124);
  const auto fills = fills_of({"found", "found behind"});
  auto draft = log.draft_fill(fills, 1000);
  ASSERT_TRUE(draft && draft->make(fills));
  say("three", 124);
  store_->flush({}, 1, true);
  say("four ", 130);
  LogPosition at = log.end();
  std::uint64_t lines = 5;
  EXPECT_EQ(log.fill(*draft, fills).value(), 120U);
  log.settle();
  const std::vector<std::string> wanted{"one", "found", "two", "found behind", "three", "four "};
  EXPECT_EQ(lines_of(log_of(*store_, "f")), wanted);
  log.move(0, at, lines);
  EXPECT_EQ(at, log.end());
  EXPECT_EQ(store_->summary("f")->lines, wanted.size());
  EXPECT_EQ(store_->summary("f")->missing, 0U);
}

// All gaps that the draft fills were in memory when it was made, and are in the file now.
TEST_F(FillTest, ADraftOfWhatWasInMemoryIsNotTaken) {
  store_->flush({}, 1, true);
  const auto first = fills_of({"found"});
  ASSERT_EQ(store_->fill(store_->find("f"), first).value(), 100U);
  {
    FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow("f"), 1, "stdout", at_ + 124, 6);
  }
  FlowLog& log = store_->find("f")->log;
  const auto fills = fills_of({"found behind"});
  auto draft = log.draft_fill(fills, 1000);
  ASSERT_TRUE(draft && draft->make(fills));
  store_->flush({}, 1, true);
  const auto filled = log.fill(*draft, fills);
  ASSERT_TRUE(filled);
  EXPECT_FALSE(*filled);
  EXPECT_EQ(store_->fill(store_->find("f"), fills).value(), 20U);
}

// A file that has lost its beginning is no longer the file that the draft was made from.
TEST_F(FillTest, ADraftOfALogThatWasCutIsNotTaken) {
  store_->flush({}, 1, true);
  FlowLog& log = store_->find("f")->log;
  const std::array fills{fill("found", 100)};
  const std::string path = dir_ / (flow_file_name("f") + ".fill");
  {
    auto draft = log.draft_fill(fills, 1000);
    ASSERT_TRUE(draft && draft->make(fills));
    EXPECT_TRUE(std::filesystem::exists(path));
    log.shrink(log.end() - log.base() - 1);
    const auto filled = log.fill(*draft, fills);
    ASSERT_TRUE(filled);
    EXPECT_FALSE(*filled);
    log.settle();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(lines_of(log_of(*store_, "f")), (std::vector<std::string>{"<100>", "two"}));
}

// One thread writes and one fills: nothing is lost, and nothing comes twice.
TEST_F(FillTest, WhileOthersWrite) {
  constexpr int kGaps = 200;
  std::uint64_t at = at_ + 104;
  const auto add_gap = [&] {
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    writing.add_gap(*flow, 1, "stdout", at + 10, 8);
    writing.add(*flow, 1, "stdout", {"said", true, at + 10, at + 15, 9});
    at += 15;
  };
  ASSERT_EQ(store_->fill(store_->find("f"), std::array{fill("found", 100)}).value(), 100U);
  std::atomic<bool> over{false};
  std::jthread writer([&] {
    for (int i = 0; i < kGaps; ++i) {
      add_gap();
      if (i % 3 == 0) store_->flush({}, 1, true);
    }
    over = true;
  });
  std::uint64_t filled = 0;
  for (bool more = true; more;) {
    more = !over;
    const auto flow = store_->find("f");
    const auto edits = store_->bounds(*flow)->edits;
    const auto fills = fills_of({"found in the runtime's file"});
    ASSERT_EQ(store_->bounds(*flow)->edits, edits) << "nobody else fills";
    const auto done = store_->fill(flow, fills);
    ASSERT_TRUE(done);
    filled += *done;
    more = more || *done < 10 * fills.size();
  }
  writer.join();
  EXPECT_EQ(filled, 10U * kGaps);
  std::vector<std::string> wanted{"one", "found", "two"};
  for (int i = 0; i < kGaps; ++i) wanted.insert(wanted.end(), {"found in the runtime's file", "said"});
  EXPECT_EQ(lines_of(log_of(*store_, "f")), wanted);
  EXPECT_EQ(store_->summary("f")->missing, 0U);
  EXPECT_EQ(store_->summary("f")->lines, wanted.size());
  store_->flush({}, 1, true);
  open();
  EXPECT_EQ(lines_of(log_of(*store_, "f")), wanted);
}

TEST_F(FillTest, SaysWhatIsOnlyTheBestMatch) {
  CriTime clock;
  std::string text;
  put_cri_line(text, clock, {5, "stdout", true, {}, "maybe", true});
  EXPECT_EQ(text, "1970-01-01T00:00:00.000000005Z stdout F:approximate maybe\n");
  EXPECT_TRUE(parse_cri_line(std::string_view(text).substr(0, text.size() - 1))->approximate);
}

}  // namespace
}  // namespace flowtap::flow
