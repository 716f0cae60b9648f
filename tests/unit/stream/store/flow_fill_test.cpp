// Gaps in the logs of flows that are filled from elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "tests/unit/stream/store/fill_kit.hpp"

namespace flowtap::flow {
namespace {

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
