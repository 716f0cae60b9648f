// Why the bytes of a gap are missing.
#include <map>

#include "stream/store/loss_causes.hpp"
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST(LossCauses, AreTheSumsThatHaveGrown) {
  LossCauses causes;
  EXPECT_EQ(causes.take(5, {}), MissingCause::kUnknown);
  EXPECT_EQ(causes.take(10, {10, 0, 0, 0}), MissingCause::kRingFull);
  EXPECT_EQ(causes.take(7, {10, 0, 7, 0}), MissingCause::kUncaptured);
  EXPECT_EQ(causes.take(7, {10, 0, 7, 0}), MissingCause::kUncaptured) << "the sums are a moment old";
  EXPECT_EQ(causes.take(3, {13, 0, 7, 0}), MissingCause::kRingFull);
  EXPECT_EQ(causes.take(4, {13, 0, 7, 4}), MissingCause::kQuiet);
  EXPECT_EQ(causes.take(1, {13, 1, 7, 4}), MissingCause::kFault);
}

class PipelineLossesTest : public PipelineTest {
 protected:
  PipelineLossesTest() { open_knowing(); }
  void open_knowing() {
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal, SchedulerOptions(), WrittenBy(),
                                           [this](StreamNo stream) { return lost_[stream]; });
    pipeline_->replay(1);
  }
  [[nodiscard]] std::string gap(const std::string& flow) const {
    const std::string log = log_of(*store_, flow);
    const std::size_t at = log.find(" F:missing=");
    return at == std::string::npos ? "" : log.substr(at + 1, log.find('\n', at) - at - 1);
  }
  std::map<StreamNo, Losses> lost_;
};

TEST_F(PipelineLossesTest, AreToldInTheGap) {
  lost_[1][FTAP_LOSS_RING_FULL] = 6;
  lost_[2][FTAP_LOSS_QUIET] = 5;
  name(1, "pod/a"), name(2, "pod/b"), name(3, "pod/c");
  bytes(1, 0, "a\n"), bytes(1, 8, "b\n"), bytes(2, 5, "c\n"), bytes(3, 5, "d\n");
  append();
  take(Clock::now() + 2s);
  EXPECT_EQ(gap("pod/a"),
            "F:missing=6:cause=ring_full [flowtap: 6 bytes are missing here: the ring was full]");
  EXPECT_EQ(
      gap("pod/b"),
      "F:missing=5:cause=quiet [flowtap: 5 bytes are missing here: flowtapd had been away for too long]");
  EXPECT_EQ(gap("pod/c"), "F:missing=5 [flowtap: 5 bytes are missing here]");
}

// It has lost them, and says nothing more.
TEST_F(PipelineLossesTest, OfASilentStreamAreToldOnce) {
  lost_[1][FTAP_LOSS_RING_FULL] = 6;
  name(1, "pod/a");
  bytes(1, 0, "a\n"), bytes(1, 2, "b");
  append();
  StreamSums sums = journal_->stream(1)->sums;
  sums.passed = 9;
  sums.last = 7'000'000'000;
  batch_.add(StateEntry{1, sums});
  append();
  EXPECT_TRUE(log_of(*store_, "pod/a").contains("1970-01-01T00:00:07.000000000Z stdout F:missing=6"));
  EXPECT_EQ(gap("pod/a"),
            "F:missing=6:cause=ring_full [flowtap: 6 bytes are missing here: the ring was full]");
  EXPECT_EQ(store_->summary("pod/a")->missing, 6U);
  EXPECT_TRUE(store_->summary("pod/a")->open());
  bytes(1, 9, "c\n");
  append();
  open_knowing();
  EXPECT_EQ(store_->summary("pod/a")->missing, 6U);
  EXPECT_EQ(store_->summary("pod/a")->bytes, 11U);
  EXPECT_EQ(lines("pod/a").size(), 4U);
}

TEST_F(PipelineLossesTest, OfASilentStreamWhoseBytesHaveMadeRoom) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "one\n");
  append();
  const std::string block = std::string(2047, 'x') + "\n";
  for (std::uint64_t at = 0; journal_->stats().evicted_segments < 4; at += block.size()) {
    bytes(2, at, block);
    append();
  }
  lost_[1][FTAP_LOSS_RING_FULL] = 6;
  StreamSums sums = journal_->stream(1)->sums;
  sums.passed += 6;
  batch_.add(StateEntry{1, sums});
  append();
  EXPECT_TRUE(gap("pod/a").contains(":cause=ring_full [flowtap: ")) << gap("pod/a");
}

// A stream that has ended has no slot any more, and its last record says what it has lost.
TEST_F(PipelineLossesTest, OfAStreamThatHasEnded) {
  name(1, "pod/a");
  bytes(1, 0, "a\n");
  batch_.add(EndEntry{1, 9, 2'000'000'000, {0, 7, 0, 0}});
  append();
  EXPECT_TRUE(gap("pod/a").starts_with("F:missing=7:cause=fault ")) << gap("pod/a");
}

// What another journal has is told at once, also of a stream that stays silent, and once.
TEST_F(PipelineLossesTest, ElsewhereAreToldWithoutAnotherByte) {
  const std::string told =
      "F:missing=4:cause=elsewhere [flowtap: 4 bytes are missing here: another state directory was in use, "
      "this"
      " one was emptied, or the journal could not be written]";
  name(1, "pod/a");
  batch_.add(MissedEntry{1, 0, 4, 1'500'000'000});
  batch_.add(MissedEntry{2, 0, 4, 1'500'000'000});
  append();
  EXPECT_EQ(gap("pod/a"), told);
  EXPECT_TRUE(log_of(*store_, "pod/a").starts_with("1970-01-01T00:00:01.5")) << "the time is known";
  name(2, "pod/b");
  append();
  EXPECT_EQ(gap("pod/b"), told) << "its name comes later";
  bytes(1, 4, "two\n");
  append();
  open();
  EXPECT_EQ(lines("pod/a").size(), 2U);
  EXPECT_EQ(store_->summary("pod/a")->missing, 4U);
  EXPECT_EQ(store_->summary("pod/a")->bytes, 8U);
}

// Bytes that overtook others wait for them, so the gap is not told before they were given up.
TEST_F(PipelineLossesTest, ElsewhereDoNotTakeWhatIsLate) {
  name(1, "pod/a");
  bytes(1, 8, "later\n");
  batch_.add(MissedEntry{1, 0, 8, 1'500'000'000});
  append();
  bytes(1, 4, "two\n");
  append();
  take(Clock::now() + 2s);
  EXPECT_TRUE(gap("pod/a").starts_with("F:missing=4:cause=elsewhere ")) << gap("pod/a");
  EXPECT_EQ(lines("pod/a").size(), 3U);
}

TEST_F(PipelineLossesTest, OfAStreamWithoutBytesHaveTheTimeOfItsEnd) {
  name(1, "pod/a");
  batch_.add(EndEntry{1, 9, 2'000'000'000, {0, 9, 0, 0}});
  append();
  EXPECT_TRUE(log_of(*store_, "pod/a").starts_with("1970-01-01T00:00:02")) << log_of(*store_, "pod/a");
}

TEST_F(PipelineLossesTest, OfTheJournalItself) {
  name(1, "pod/a");
  bytes(1, 0, "one\n");
  append();
  const std::string block(2047, 'x');
  std::uint64_t at = 4;
  while (journal_->stats().evicted_segments < 4) {
    bytes(1, at, block + "\n");
    at += 2048;
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
  }
  take(Clock::now() + 2s);
  take(Clock::now() + 4s);
  EXPECT_TRUE(gap("pod/a").contains(":cause=made_room [flowtap: ")) << gap("pod/a");
}

}  // namespace
}  // namespace flowtap::flow
