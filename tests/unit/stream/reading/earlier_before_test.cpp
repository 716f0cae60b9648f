// What a source wrote before it was captured, if its runtime does not have all of it any more.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

std::string before(std::uint64_t bytes) {
  return "[flowtap: " + std::to_string(bytes) +
         " bytes are missing here: they were written before the capture, and nobody has kept them]\n";
}

// The lines from 100 on are captured.
class EarlierBeforeTest : public EarlierLinesTest {
 protected:
  EarlierBeforeTest() {
    loses_meanwhile_ = true;
    flow::Batch batch;
    for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
      batch.add(flow::StreamEntry{
          stream, {.flow = kPodFlow, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
    append(batch);
    write(100, 200);
    store_->set_before(kPodFlow, {.state = flow::Before::State::kUncounted});
  }
  void count() {
    store_->set_before(kPodFlow, {flow::Before::State::kCounted, numbered(0, 100).size(), 100});
  }
  void drop_file() { std::filesystem::remove_all(std::filesystem::path(tree_.root()) / "var/log/pods"); }
};

TEST_F(EarlierBeforeTest, IsToldWhenItIsGone) {
  keep(0, 200);
  count();
  EXPECT_EQ(log(), numbered(0, 200) + "|");
  keep(40, 200);
  EXPECT_EQ(log(), before(numbered(0, 40).size()) + numbered(40, 200) + "|");
  EXPECT_EQ(log({.tail_lines = 50, .gaps = true}), numbered(150, 200) + "|");
  EXPECT_EQ(log({.tail_lines = 150, .gaps = true}), numbered(50, 200) + "|");
  EXPECT_EQ(log({.tail_lines = 180, .gaps = true}), before(numbered(0, 40).size()) + numbered(40, 200) + "|");
  EXPECT_EQ(log({.since = at_second(120), .gaps = true}), numbered(120, 200) + "|");
  keep(150, 200);
  EXPECT_EQ(log(), before(numbered(0, 100).size()) + numbered(100, 200) + "|");
  drop_file();
  EXPECT_EQ(log(), before(numbered(0, 100).size()) + numbered(100, 200) + "|");
  EXPECT_EQ(reader({})->missing_bytes(), numbered(0, 100).size());
  const std::string json = log({.json = true, .gaps = true});
  EXPECT_TRUE(json.contains(R"("missing_bytes":790,"cause":"before")")) << json.substr(0, 300);
}

// The capture has lost its own beginning, too.
TEST_F(EarlierBeforeTest, IsToldTogetherWithWhatMadeRoom) {
  open(std::uint64_t{1} << 20U);
  keep(0, 5000);
  count();
  write(200, 5000);
  flood(std::size_t{2} << 20U);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  keep(40, 5000);
  EXPECT_EQ(log(), "[flowtap: " + std::to_string(numbered(0, 40).size()) + " bytes are missing here]\n" +
                       numbered(40, 5000) + "|");
  drop_file();
  const auto [missing, shown] = taken_apart(log());
  EXPECT_EQ(missing + shown.size(), numbered(0, 5000).size());
  EXPECT_GT(missing, numbered(0, 100).size());
}

// Its runtime keeps no file that could be read.
TEST_F(EarlierBeforeTest, IsToldWithoutANumberWhereNobodyCanCountIt) {
  const std::string mark =
      "[flowtap: bytes may be missing here: they were written before the capture, and nobody has kept "
      "them]\n";
  EXPECT_EQ(log(), mark + numbered(100, 200) + "|");
  EXPECT_EQ(log({}), numbered(100, 200) + "|");
  EXPECT_EQ(log({.tail_lines = 100, .gaps = true}), numbered(100, 200) + "|");
  EXPECT_EQ(log({.since = at_second(150), .gaps = true}), numbered(150, 200) + "|");
  EXPECT_FALSE(reader({})->missing_bytes());
  keep(0, 200);
  EXPECT_EQ(log(), numbered(0, 200) + "|") << "the file comes later";
}

// A look at all that the runtime has is needed once, and when it has less.
TEST_F(EarlierBeforeTest, IsCountedOnceWhileNothingGoes) {
  keep(0, 200);
  count();
  const auto& flow = *store_->find(kPodFlow);
  EXPECT_FALSE(history_->oldest(flow));
  EXPECT_EQ(log(), numbered(0, 200) + "|");
  EXPECT_EQ(history_->oldest(flow), 50'000U);
  keep(1, 200);
  EXPECT_EQ(log(), before(numbered(0, 1).size()) + numbered(1, 200) + "|");
}

}  // namespace
}  // namespace flowtap
