// Where a capture broke off, nobody knows how much is missing. The flow is suspect, and a mark stands at the place, once.
#include <algorithm>

#include "tests/unit/stream/store/pipeline_kit.hpp"
#include "tests/unit/stream/store/pipeline_scheduler_kit.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kAgain = 1'500'000'000;  // when somebody captured again

class PipelineBreaksTest : public PipelineTest {
 protected:
  void break_off(StreamNo stream, std::uint64_t at) {
    batch_.add(MissedEntry{stream, at, at, kAgain});
    batch_.add(EndEntry{stream, at, kAgain, {}});
  }
  void expect_lines(const std::string& flow, const Lines& wanted, const std::string& of) {
    EXPECT_EQ(lines(flow), wanted) << of;
    EXPECT_EQ(store_->summary(flow)->missing, 0U) << of;
    EXPECT_TRUE(store_->summary(flow)->broke_off) << of;
  }
};

TEST_F(PipelineBreaksTest, StandWhereTheyAreOnceOverLaterStarts) {
  name(1, "pod/a"), name(2, "pod/b"), name(3, "pod/a", "stderr"), name(9, "pod/c");
  bytes(1, 0, "one\ntw"), bytes(2, 0, "b\n"), bytes(3, 0, "err\n"), bytes(9, 0, "c\n");
  batch_.add(MissedEntry{9, 2, 4, kAgain});
  append();
  store_->flush({}, 1, true);
  break_off(1, 6), break_off(3, 4), end(2, 2);
  name(4, "pod/a");
  bytes(4, 0, "three\n", 2'000'000'000);
  append();
  const Lines wanted{"one", "2:err", "tw~", "<0>", "2:<0>", "three"};
  expect_lines("pod/a", wanted, "at once");
  EXPECT_TRUE(
      log_of(*store_, "pod/a")
          .contains("1970-01-01T00:00:01.500000000Z stdout F:missing=0:cause=broke_off [flowtap: bytes may "
                    "be missing here: "
                    "the capture broke off, and nobody counted what was written until it began again]\n"))
      << log_of(*store_, "pod/a");
  EXPECT_FALSE(store_->summary("pod/b")->broke_off) << "it has ended";
  EXPECT_FALSE(store_->summary("pod/c")->broke_off) << "it is known how much is missing";
  EXPECT_EQ(store_->summary("pod/c")->missing, 2U);
  open();
  expect_lines("pod/a", wanted, "what was only in memory is read from the journal again");
  pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
  pipeline_->replay(1);
  expect_lines("pod/a", wanted, "the journal is read again in one process");
  open();
  expect_lines("pod/a", wanted, "and by another process");
  break_off(4, 6);
  name(5, "pod/a");
  bytes(5, 0, "four\n", 3'000'000'000);
  append();
  Lines more = wanted;
  more.insert(more.end(), {"<0>", "four"});
  expect_lines("pod/a", more, "a second time");
  store_->flush({}, 1, true);
  std::filesystem::remove_all(dir_ / "journal");
  open();
  expect_lines("pod/a", more, "without the journal");
}

TEST_F(PipelineBreaksTest, AreToldThoughTheNextStreamIsSilent) {
  name(1, "pod/a");
  bytes(1, 0, "one\n");
  append();
  store_->flush({}, 1, true);
  break_off(1, 4);
  name(2, "pod/a");
  append();
  store_->flush({}, 1, true);
  std::filesystem::remove_all(dir_ / "journal");
  open();
  expect_lines("pod/a", {"one", "<0>"}, "");
}

TEST_F(PipelineBreaksTest, MarkAFlowThatHasMadeRoom) {
  open_for(1);
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  bytes(1, 0, "one\n");
  break_off(1, 4);
  append();
  name(3, "pod/b");
  bytes(3, 0, "b\n", 9'000'000'000);
  append();
  store_->flush({}, 1, true);
  ASSERT_FALSE(store_->find("pod/a"));
  bytes(2, 0, "two\n");
  append();
  expect_lines("pod/a", {"2:two"}, "");
}

TEST_F(PipelineBreaksTest, OfAStreamThatIsNamedLater) {
  bytes(1, 0, "one\n");
  break_off(1, 4);
  append();
  name(1, "pod/a");
  append();
  expect_lines("pod/a", {"one", "<0>"}, "");
}

// Bytes that overtook others are given up at the end of their stream, and stand before the mark.
TEST_F(PipelineBreaksTest, StandBehindWhatIsLate) {
  name(1, "pod/a");
  bytes(1, 4, "two\n");
  break_off(1, 8);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"<4>", "two", "<0>"}));
}

TEST_F(PipelineBreaksTest, AreInAFlowThatTakesAnothersLinesToo) {
  name(1, "container/1"), name(2, "pod/a");
  bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
  break_off(2, 4);
  append();
  name(1, "pod/a");
  append();
  store_->flush({}, 1, true);
  open();
  expect_lines("pod/a", {"two", "<0>", "one"}, "");
}

// Records of pods are lost, and so the main log and the flows that were just written to say so, in the scheduler's name.
class SchedulerBreaks : public PipelineSchedulerTest {};

TEST_F(SchedulerBreaks, AreToldInTheMainLogAndInThePodsFlows) {
  begin();
  name(1, kScheduler);
  const std::string first = said("silent", 1) + said("a", 1);
  Batch batch;
  batch.add(BytesEntry{1, 0, 1'000'000'000, 0,
                       as_bytes(std::string_view(first).substr(0, said("silent", 1).size()))});
  batch.add(BytesEntry{1, said("silent", 1).size(), 100'000'000'000, 0,
                       as_bytes(std::string_view(first).substr(said("silent", 1).size()))});
  const std::uint64_t at = first.size();
  batch.add(MissedEntry{1, at, at, kAgain});
  batch.add(EndEntry{1, at, kAgain, {}});
  ASSERT_TRUE(journal_->append(batch));
  take();
  name(2, kScheduler);
  const std::string second = said("a", 2) + said("silent", 2);
  batch.clear();
  batch.add(BytesEntry{2, 0, 200'000'000'000, 0, as_bytes(second)});
  ASSERT_TRUE(journal_->append(batch));
  take();
  const std::string mark =
      "[flowtap: records may be missing here: the capture broke off, and nobody counted what was written "
      "until "
      "it began again]\n";
  EXPECT_EQ(main_, first + mark + second);
  for (int start = 0; start < 3; ++start) {
    for (const std::string flow : {"sched/ns/a", kMainLogFlow, kScheduler}) {
      const auto got = lines(flow);
      EXPECT_EQ(std::ranges::count(got, "2:<0>"), 1) << flow << start;
      EXPECT_EQ(got.at(got.size() / 2), "2:<0>") << flow << start;
      EXPECT_TRUE(store_->summary(flow)->broke_off) << flow << start;
    }
    // It said nothing for long before, and is told nothing late.
    EXPECT_EQ(lines("sched/ns/silent").size(), 2U) << start;
    EXPECT_FALSE(store_->summary("sched/ns/silent")->broke_off) << start;
    store_->flush({}, 1, true);
    open();
  }
}

}  // namespace
}  // namespace flowtap::flow
