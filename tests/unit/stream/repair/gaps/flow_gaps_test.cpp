// Which gaps of a flow are looked for, and when one is given up.
#include "stream/repair/gaps/flow_gaps.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "stream/store/file_name.hpp"
#include "tests/unit/stream/repair/history_kit.hpp"

namespace flowtap {
namespace {

class FlowGapsTest : public HistoryTest {
 protected:
  GapRound fill(bool last = false) { return fill_gaps(*store_, *history_, kFlow, decided_, {.last = last}); }
  static std::uint64_t of(const GapRound& round, RefillResult result) {
    return round.bytes.at(static_cast<std::size_t>(result));
  }
  void begin() {
    flow::FlowStore::Writing writing(*store_, {});
    writing.open_stream(*writing.flow(kFlow), false);
  }
  void end() {
    flow::FlowStore::Writing writing(*store_, {});
    writing.end_stream(*writing.flow(kFlow), 1);
  }

  GapsDecided decided_;
};

// Bytes that were lost after a single drain have the time of the gap before them.
TEST_F(FlowGapsTest, OfOneTimeAreTold) {
  keep(1, 100);
  capture(1, 20), lose(20), capture(21, 40);
  EXPECT_EQ(of(fill(), RefillResult::kExact), line(20).size());
  lose(40, 20), capture(41, 60);
  EXPECT_EQ(of(fill(), RefillResult::kExact), line(40).size());
}

// A small store comes with little memory, so less is looked through at once.
TEST_F(FlowGapsTest, AreLookedForInLessWhereMemoryIsScarce) {
  store_ = flow::FlowStore::open({.dir = dir_ / "small", .store_bytes = std::uint64_t{1} << 20U});
  constexpr std::uint64_t kFar = 65'000;
  keep(1, kFar + 1000);
  capture(1, 20), lose(20), capture(21, 30);
  for (std::uint64_t n = 30; n < kFar; ++n) at_[n % 10 == 3 ? 1 : 0] += line(n).size();
  {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow(kFlow), 1, "stdout", at_[0], kFar * 1'000'000'000);
    writing.add_gap(*writing.flow(kFlow), 2, "stderr", at_[1], kFar * 1'000'000'000);
  }
  const std::uint64_t of_stderr = at_[1] - line(3).size() - line(13).size() - line(23).size();
  capture(kFar, kFar + 10);
  EXPECT_EQ(of(fill(true), RefillResult::kExact), line(20).size() + of_stderr)
      << "what stdout lacks is too much";
}

TEST_F(FlowGapsTest, AreGivenUpOnce) {
  capture(1, 20), lose(20), capture(21, 40);
  keep(21, 100);
  EXPECT_EQ(fill().open, line(20).size());
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), line(20).size());
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), 0U);
  lose(40), capture(41, 60);
  const GapRound round = fill(true);
  EXPECT_EQ(of(round, RefillResult::kExact), line(40).size());
  EXPECT_EQ(of(round, RefillResult::kUnfilled), 0U);
}

// What is on the other side of a place where the capture broke off does not stand beside the gap.
TEST_F(FlowGapsTest, BesideACaptureThatBrokeOffAreLookedForOnTheirSide) {
  begin();
  keep(1, 100);
  capture(1, 20);
  {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_break(*writing.flow(kFlow), 1, "stdout", 20'000'000'000);
  }
  follow();
  EXPECT_TRUE(followed().contains(flow::gap_text(0, flow::MissingCause::kBrokeOff))) << "nobody looks for it";
  capture(31, 50), lose(50), capture(51, 60);
  const GapRound round = fill(true);
  EXPECT_EQ(of(round, RefillResult::kExact), line(50).size());
  EXPECT_EQ(of(round, RefillResult::kUnfilled), 0U);
  const std::string text = log({.gaps = true});
  EXPECT_TRUE(text.contains(line(19) + flow::gap_text(0, flow::MissingCause::kBrokeOff) + "\n" + line(31)))
      << text;
}

// This holds however late the end of a container is known.
TEST_F(FlowGapsTest, AtTheEndWaitForTheEnd) {
  begin();
  keep(1, 40);
  capture(1, 20), lose(20), capture(21, 40), lose(40);
  static_cast<void>(store_->take_gapped());
  const GapRound round = fill(true);
  EXPECT_EQ(of(round, RefillResult::kExact), line(20).size());
  EXPECT_EQ(of(round, RefillResult::kUnfilled), 0U);
  end();
  EXPECT_EQ(store_->take_gapped(), std::vector<std::string>{kFlow});
  EXPECT_EQ(fill().open, line(40).size()) << "the runtime has not written it yet";
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), line(40).size());
}

// A silent source that has lost bytes twice: none of them is given up before it is known what comes behind them.
TEST_F(FlowGapsTest, SeveralAtTheEndWaitTogether) {
  begin();
  keep(1, 40);
  capture(1, 40), lose(40), lose(41);
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), 0U);
  keep(1, 60);
  capture(42, 50);
  EXPECT_EQ(of(fill(true), RefillResult::kExact), 2 * line(40).size());
  EXPECT_EQ(log(), lines(1, 50));
}

TEST_F(FlowGapsTest, AtTheEndAreFilledWhenItHasEnded) {
  begin();
  keep(1, 41);
  capture(1, 20), lose(20), capture(21, 40), lose(40);
  EXPECT_EQ(of(fill(true), RefillResult::kExact), line(20).size());
  end();
  EXPECT_EQ(of(fill(), RefillResult::kExact), line(40).size());
  EXPECT_EQ(store_->summary(kFlow)->missing, 0U);
}

// Nothing was captured before it, so its place is known by what was captured behind it.
TEST_F(FlowGapsTest, AtTheBeginningAreFilled) {
  keep(1, 60);
  lose(1), capture(2, 40), lose(40), capture(41, 60);
  const GapRound round = fill();
  EXPECT_EQ(of(round, RefillResult::kExact), line(1).size() + line(40).size());
  EXPECT_EQ(round.open, 0U);
  EXPECT_EQ(store_->summary(kFlow)->missing, 0U);
}

// The container had written before it was captured.
TEST_F(FlowGapsTest, AtTheBeginningOfTheCaptureAreFilled) {
  keep(1, 60);
  lose(20), capture(21, 60);
  EXPECT_EQ(of(fill(), RefillResult::kExact), line(20).size());
  EXPECT_EQ(store_->summary(kFlow)->missing, 0U);
}

TEST_F(FlowGapsTest, OfAFlowOfWhichNothingWasCapturedAreFilled) {
  begin();
  keep(1, 2);
  lose(1);
  EXPECT_EQ(of(fill(true), RefillResult::kExact), 0U) << "there may come more";
  end();
  EXPECT_EQ(of(fill(), RefillResult::kExact), line(1).size());
  EXPECT_EQ(store_->summary(kFlow)->missing, 0U);
}

// Its file has what was written before, and nobody has read the rest.
TEST_F(FlowGapsTest, OfAFlowOfWhichNothingWasCapturedAreNotFilledWithOlderLines) {
  begin();
  keep(1, 2);
  lose(2);
  end();
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), line(2).size());
  EXPECT_EQ(store_->summary(kFlow)->missing, line(2).size());
}

TEST_F(FlowGapsTest, NorAreThoseOfAFlowThatBeganBefore) {
  begin();
  keep(1, 2);
  lose(1);
  end();
  store_->set_before(kFlow, {.state = flow::Before::State::kUncounted});
  EXPECT_EQ(of(fill(true), RefillResult::kUnfilled), line(1).size());
}

// An older line is the same as the one that was captured first, which the runtime has not written yet.
TEST_F(FlowGapsTest, AtTheBeginningAreNotFilledBesideAnOlderLine) {
  const std::string beat = "the same line again and again";
  const auto add = [&](std::uint64_t second, bool is_lost) {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kFlow);
    const std::uint64_t from = at_[0];
    at_[0] += beat.size() + 1;
    const std::uint64_t time = second * 1'000'000'000 - 50'000;
    if (is_lost)
      writing.add_gap(*flow, 1, "stdout", at_[0], time);
    else
      writing.add(*flow, 1, "stdout", {beat, true, from, at_[0], time});
  };
  add(9, true), add(9, false);
  const auto kept = [&](std::uint64_t to) {
    std::string text = rfc3339_nano(second(6)) + " stdout F some thing else, before\n";
    for (std::uint64_t n = 7; n < to; ++n) text += rfc3339_nano(second(n)) + " stdout F " + beat + "\n";
    tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  };
  kept(8);
  EXPECT_EQ(fill().open, beat.size() + 1);
  kept(10);
  EXPECT_EQ(of(fill(), RefillResult::kExact), beat.size() + 1);
}

// The older line would not be a whole one: two "\r" are lacking.
TEST_F(FlowGapsTest, AtTheBeginningAreNoPartOfAnOlderLine) {
  const std::string json = "{" + std::string(600, 'x') + "}";
  tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log",
             rfc3339_nano(second(1)) + " stdout F an older line\n" + rfc3339_nano(second(2)) +
                 " stdout F lost one\n" + rfc3339_nano(second(2)) + " stdout F lost two\n" +
                 rfc3339_nano(second(3)) + " stdout F " + json + "\n");
  {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kFlow);
    writing.add_gap(*flow, 1, "stdout", 20, 3'000'000'000);
    writing.add(*flow, 1, "stdout", {json + "\r", true, 20, 20 + json.size() + 2, 3'000'000'000});
  }
  EXPECT_EQ(of(fill(), RefillResult::kExact), 20U);
  const std::string text = log();
  EXPECT_TRUE(text.contains("lost one\r\nlost two\r\n{")) << text;
}

// A line of the runtime's file is broken, so that one does not know whether what stands there follows upon each other.
TEST_F(FlowGapsTest, AtTheBeginningAreApproximateBesideABrokenLine) {
  std::string text = rfc3339_nano(second(1)) + " stdout F line 1\nbroken\n";
  for (std::uint64_t n = 2; n < 20; ++n) text += rfc3339_nano(second(n)) + " stdout F " + line(n);
  tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  lose(2);
  {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kFlow);
    for (std::uint64_t n = 3; n < 20; ++n) {
      const std::string own = line(n);
      writing.add(*flow, 1, "stdout",
                  {std::string_view(own).substr(0, own.size() - 1), true, at_[0], at_[0] + own.size(),
                   n * 1'000'000'000 - 50'000});
      at_[0] += own.size();
    }
  }
  EXPECT_EQ(of(fill(), RefillResult::kApproximate), line(2).size());
}

// Nothing is decided about a log that cannot be read now, also in the last round.
TEST_F(FlowGapsTest, OfALogThatCannotBeReadStayOpen) {
  keep(1, 100);
  capture(1, 20), lose(20), capture(21, 40);
  store_->flush({}, 0, true);
  const std::string file = dir_ / flow::flow_file_name(kFlow);
  std::filesystem::rename(file, dir_ / "elsewhere");
  GapRound round = fill(true);
  EXPECT_GT(round.open, 0U);
  EXPECT_EQ(of(round, RefillResult::kUnfilled), 0U);
  std::filesystem::rename(dir_ / "elsewhere", file);
  round = fill();
  EXPECT_EQ(round.open, 0U);
  EXPECT_EQ(of(round, RefillResult::kExact), line(20).size());
}

}  // namespace
}  // namespace flowtap
