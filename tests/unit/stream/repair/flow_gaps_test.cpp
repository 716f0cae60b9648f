// Which gaps of a flow are looked for, and when one is given up.
#include "stream/repair/flow_gaps.hpp"

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
