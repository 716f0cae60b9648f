// Who makes room for what was found: flows that ended, the oldest lines of its own log, or nobody.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "tests/unit/stream/store/fill_kit.hpp"

namespace flowtap::flow {
namespace {

using FillRoomTest = FillTest;

// The log is as long as it may be. Its oldest lines make room for what was found, as they do for new lines.
TEST_F(FillRoomTest, ItsOldestLinesMakeRoom) {
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
TEST_F(FillRoomTest, WhatWasFoundMakesRoomAsWell) {
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
TEST_F(FillRoomTest, WhatEndedBeforeMakesRoom) {
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
TEST_F(FillRoomTest, InAFullStoreItsOwnOldestLinesMakeRoom) {
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
TEST_F(FillRoomTest, NothingGoesForALineThatDoesNotFit) {
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
TEST_F(FillRoomTest, ManyGapsAreFilledAtOnce) {
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

}  // namespace
}  // namespace flowtap::flow
