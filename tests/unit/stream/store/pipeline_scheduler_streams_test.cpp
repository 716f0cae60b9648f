// Streams that become schedulers' or stop being so, and several schedulers' streams beside each other.
#include "tests/unit/stream/store/pipeline_scheduler_kit.hpp"

namespace flowtap::flow {
namespace {

constexpr const char* kOther = "pod/kube-system/kube-scheduler-b/u/kube-scheduler/0";
using Lines = std::vector<std::string>;

// The line without its newline.
std::string bare(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

// A container's bundle says nothing about its pod; kubelet's link to it comes a moment later.
class NameOfAScheduler : public PipelineSchedulerTest {
 protected:
  NameOfAScheduler() { begin(); }
  static Lines both_said(const std::string& output) {
    return {output + bare(said("a", 1)), output + "<50>", output + bare(said("a", 2))};
  }
};

TEST_F(NameOfAScheduler, MayComeAsACorrection) {
  const std::string second = said("b", 2) + said("a", 3);
  name(1, "container/1234");
  bytes(1, 0, said("a", 1) + second.substr(0, 20));
  store_->flush({}, 1, true);
  bytes(1, said("a", 1).size() + 20, second.substr(20, 60));
  EXPECT_EQ(main_, "");
  name(1, kScheduler);
  EXPECT_EQ(main_, said("a", 1) + said("b", 2)) << "what it had said before";
  bytes(1, said("a", 1).size() + 80, second.substr(80));
  EXPECT_EQ(main_, said("a", 1) + second);
  for (int start = 0; start < 2; ++start, open()) {
    EXPECT_EQ(lines("sched/ns/a"), (Lines{"2:" + bare(said("a", 1)), "2:" + bare(said("a", 3))})) << start;
    EXPECT_EQ(lines("sched/ns/b"), Lines{"2:" + bare(said("b", 2))}) << start;
    EXPECT_EQ(bytes_of(kMainLogFlow), said("a", 1) + second) << start;
  }
}

TEST_F(NameOfAScheduler, TellsOfGapsBeforeItToo) {
  name(1, "container/1234");
  bytes(1, 0, said("a", 1));
  bytes(1, said("a", 1).size() + 50, said("a", 2));
  take(std::chrono::milliseconds(200));
  name(1, kScheduler);
  EXPECT_EQ(lines("sched/ns/a"), both_said("2:"));
  EXPECT_EQ(main_, said("a", 1) + scheduler_gap_text(50) + "\n" + said("a", 2));
}

// Both streams are of the same container, which was started again.
TEST_F(NameOfAScheduler, OfTwoStreamsMayBeThatOfAFlowThatIsThere) {
  name(1, kScheduler);
  bytes(1, 0, said("a", 1));
  Batch batch;
  batch.add(EndEntry{1, said("a", 1).size(), 2'000'000'000, {}});
  ASSERT_TRUE(journal_->append(batch));
  take();
  name(2, "container/1234"), name(3, "container/1234", "stdout");
  bytes(2, 0, said("a", 2)), bytes(3, 0, said("a", 3));
  name(2, kScheduler), name(3, kScheduler, "stdout");
  EXPECT_EQ(lines("sched/ns/a"),
            (Lines{"2:" + bare(said("a", 1)), "2:" + bare(said("a", 2)), bare(said("a", 3))}));
  EXPECT_EQ(main_, said("a", 1) + said("a", 2) + said("a", 3));
}

TEST_F(NameOfAScheduler, MayBeTakenBack) {
  name(1, kScheduler);
  bytes(1, 0, said("a", 1));
  name(1, "pod/tenant/web/u/c/0");
  bytes(1, said("a", 1).size(), said("a", 2));
  EXPECT_EQ(lines("sched/ns/a"), Lines{"2:" + bare(said("a", 1))});
  EXPECT_EQ(main_, said("a", 1));
  EXPECT_EQ(bytes_of("pod/tenant/web/u/c/0"), said("a", 1) + said("a", 2));
}

class SeveralSchedulers : public PipelineSchedulerTest {
 protected:
  SeveralSchedulers() {
    begin();
    name(1, kScheduler), name(2, kOther, "stdout");
    record_.pop_back();
    record_.append(kMaxLine, 'x').append("\n");
    part_ = record_.substr(0, kMaxLine);
    rest_ = record_.substr(kMaxLine);
  }

  std::string record_ = said("a", 1);  // longer than a line may be
  std::string part_;
  std::string rest_;
};

// A reader joins a part with the line behind it.
TEST_F(SeveralSchedulers, HaveLinesOfTheirOwnThoughALongOneIsNotWholeYet) {
  bytes(1, 0, std::string_view(record_).substr(0, kMaxLine + 9));
  bytes(2, 0, said("a", 2));
  bytes(1, kMaxLine + 9, std::string_view(record_).substr(kMaxLine + 9));
  bytes(2, said("a", 2).size(), said("a", 3));
  const Lines wanted{"2:" + part_ + "~", "2:", bare(said("a", 2)), "2:" + bare(rest_), bare(said("a", 3))};
  const std::string text = part_ + "\n" + said("a", 2) + rest_ + said("a", 3);
  EXPECT_EQ(main_, text);
  for (int start = 0; start < 2; ++start, open()) {
    EXPECT_EQ(lines("sched/ns/a"), wanted) << start;
    EXPECT_EQ(lines(kMainLogFlow), wanted) << start;
  }
}

TEST_F(SeveralSchedulers, HaveLinesOfTheirOwnAlsoOverAStart) {
  bytes(1, 0, std::string_view(record_).substr(0, kMaxLine + 9));
  store_->flush({}, 1, true);
  open();
  main_.clear();
  bytes(2, 0, said("a", 2));
  EXPECT_EQ(main_, "\n" + said("a", 2));
  EXPECT_EQ(lines("sched/ns/a"), (Lines{"2:" + part_ + "~", "2:", bare(said("a", 2))}));
}

TEST_F(SeveralSchedulers, OneOfThemGoesOnWithItsOwnLine) {
  bytes(1, 0, record_);
  bytes(2, 0, said("a", 2));
  EXPECT_EQ(main_, record_ + said("a", 2));
  EXPECT_EQ(lines("sched/ns/a"), (Lines{"2:" + part_ + "~", "2:" + bare(rest_), bare(said("a", 2))}));
}

}  // namespace
}  // namespace flowtap::flow
