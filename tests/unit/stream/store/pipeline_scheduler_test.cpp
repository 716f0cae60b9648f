// Schedulers' logs on the whole way from the journal: each record is in its pod's flow, also after starts amid it.
#include <random>
#include <stdexcept>

#include "tests/unit/stream/store/pipeline_scheduler_kit.hpp"

namespace flowtap::flow {
namespace {

// The flows that other programs made of the golden logs.
Flows expected(const std::string& log) {
  Flows all;
  for (const auto& part : flowtap::test::golden_flows())
    if (part.file == log && part.flow != "-") all[part.flow] = part.text;
  return all;
}

std::string expected_main_log(const std::string& log) {
  for (const auto& part : flowtap::test::golden_main_logs())
    if (part.file == log) return part.text;
  throw std::runtime_error("main_v2.tsv has no row of " + log);
}

void expect_flows(const Flows& seen, const Flows& wanted) {
  for (const auto& [flow, bytes] : wanted) EXPECT_TRUE(seen.contains(flow) && seen.at(flow) == bytes) << flow;
  EXPECT_EQ(seen.size(), wanted.size());
}

TEST_F(PipelineSchedulerTest, EachRecordIsInItsFlowAndTheMainLogIsReadable) {
  std::mt19937 random(5);
  for (const std::string& log : test::all_logs()) {
    SCOPED_TRACE(log);
    begin(log);
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 20'000, text_.size() - at);
      write(at, size);
      at += size;
      if (random() % 4 == 0) store_->flush({}, 1, true);
    }
    end();
    expect_flows(seen(), expected(log));
    EXPECT_TRUE(bytes_of(kScheduler) == text_) << "the container's own log has it all";
    EXPECT_TRUE(main_ == expected_main_log(log));
    EXPECT_TRUE(bytes_of(kMainLogFlow) == main_);
  }
}

TEST_F(PipelineSchedulerTest, AStartAmidTheLogDoublesNothing) {
  std::mt19937 random(6);
  for (const std::string& log : test::all_logs()) {
    SCOPED_TRACE(log);
    begin(log);
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t size = std::min<std::size_t>(text_.size() / 7 + 1, text_.size() - at);
      write(at, size);
      at += size;
      if (random() % 2 == 0) store_->flush({}, 1, true);
      open();
    }
    end();
    expect_flows(seen(), expected(log));
    EXPECT_TRUE(bytes_of(kScheduler) == text_);
    EXPECT_TRUE(bytes_of(kMainLogFlow) == expected_main_log(log));
  }
}

TEST_F(PipelineSchedulerTest, WhatIsNoSchedulersFeedsNoFlow) {
  begin("numa-pod-era-v4.log");
  Batch batch;
  batch.add(StreamEntry{
      2, {.flow = "pod/tenant/kube-scheduler-a/u/kube-scheduler/0", .output = "stderr", .identity = {}}});
  batch.add(BytesEntry{2, 0, 1, 0, as_bytes(text_)});
  ASSERT_TRUE(journal_->append(batch));
  take();
  EXPECT_TRUE(seen().empty());
  EXPECT_TRUE(main_.empty());
}

class SchedulersGap : public PipelineSchedulerTest {
 protected:
  void begin() {
    PipelineSchedulerTest::begin("numa-pod-era-v4.log");
    text_.clear();
    now_ = Pipeline::Clock::now();
  }
  void say(const std::string& pod, int n, std::uint64_t second, bool missing = false) {
    const std::string record = said(pod, n);
    text_ += record;
    if (!missing) write(text_.size() - record.size(), record.size(), second * 1'000'000'000);
  }
  // Missing bytes will not come any more.
  void give_up() { *now_ += std::chrono::milliseconds(100), take(); }
  // After this, the flows around have been told, too.
  void wait() { give_up(), *now_ += std::chrono::seconds(1), take(); }
  // Each line from its "pod=" on; "<n>" for a gap.
  [[nodiscard]] std::vector<std::string> words(const std::string& flow) const {
    std::vector<std::string> lines = lines_of(log_of(*store_, flow));
    for (std::string& line : lines)
      if (const auto at = line.find("pod="); at != std::string::npos) line.erase(0, at);
    return lines;
  }
  static std::string word(const std::string& pod, int n) {
    return "pod=\"ns/" + pod + "\" n=" + std::to_string(n);
  }
  using Words = std::vector<std::string>;
};

TEST_F(SchedulersGap, IsToldInTheMainLogAndWhereRecordsMayBeMissing) {
  begin();
  say("old", 1, 1);
  say("a", 1, 100), say("b", 1, 100);
  const std::string gap = "2:<" + std::to_string(said("a", 2).size()) + ">";
  say("a", 2, 100, true);
  say("new", 1, 101), say("a", 3, 101);
  wait();
  for (int start = 0; start < 2; ++start) {
    SCOPED_TRACE(start);
    EXPECT_EQ(words(kScheduler).size(), 6U);
    EXPECT_EQ(words(kMainLogFlow),
              (Words{word("old", 1), word("a", 1), word("b", 1), gap, word("new", 1), word("a", 3)}));
    EXPECT_EQ(words("sched/ns/a"), (Words{word("a", 1), gap, word("a", 3)}));
    EXPECT_EQ(words("sched/ns/b"), (Words{word("b", 1), gap})) << "it may have been its last";
    EXPECT_EQ(words("sched/ns/new"), (Words{gap, word("new", 1)})) << "or its first";
    EXPECT_EQ(words("sched/ns/old"), Words{word("old", 1)}) << "no record of it comes so much later";
    EXPECT_EQ(store_->summary("sched/ns/b")->missing, said("a", 2).size());
    if (start == 0) store_->flush({}, 1, true);
    open();
    wait();
  }
  EXPECT_EQ(store_->take_gapped(), std::vector<std::string>{kScheduler}) << "nobody else keeps the others";
  say("old", 2, 200), say("later", 1, 200);
  EXPECT_EQ(words("sched/ns/old"), (Words{word("old", 1), gap, word("old", 2)}));
  EXPECT_EQ(words("sched/ns/later"), Words{word("later", 1)});
}

TEST_F(SchedulersGap, OfOneWhoseNameIsCorrectedMeanwhileIsNotToldAround) {
  begin();
  say("a", 1, 1), say("b", 1, 1);
  say("a", 2, 1, true);
  say("a", 3, 1);
  give_up();
  name(1, "pod/tenant/kube-scheduler-a/u/kube-scheduler/0");
  wait();
  EXPECT_EQ(words("sched/ns/b"), Words{word("b", 1)});
}

TEST_F(SchedulersGap, IsALineOfItsOwnInTheMainLog) {
  begin();
  say("a", 1, 1);
  const std::string cut = said("a", 2);
  text_ += cut + cut;
  write(text_.size() - 2 * cut.size(), 40);
  write(text_.size() - 20, 20);
  wait();
  const std::uint64_t missing = 2 * cut.size() - 60;
  EXPECT_EQ(main_, said("a", 1) + cut.substr(0, 40) + "\n" + scheduler_gap_text(missing) + "\n" +
                       cut.substr(cut.size() - 20));
  EXPECT_EQ(words("sched/ns/a").back(), "2:<" + std::to_string(missing) + ">");
}

// However many gaps there are, the marks are no more than the lines.
TEST_F(SchedulersGap, ManyGapsAreOneMark) {
  begin();
  say("a", 1, 1), say("b", 1, 1);
  const std::size_t size = said("a", 1).size();
  for (int i = 0; i < 9; ++i) say("a", 1, 1, true), say("b", 1, 1), give_up();
  EXPECT_EQ(words("sched/ns/a").size(), 1U) << "the moment has not passed";
  wait();
  EXPECT_EQ(words("sched/ns/a"), (Words{word("a", 1), "2:<" + std::to_string(9 * size) + ">"}));
  EXPECT_EQ(words("sched/ns/b").size(), 19U);
  EXPECT_EQ(store_->summary("sched/ns/b")->missing, 9 * size);
}

// A record whose key may still come waits, but not for ever.
TEST_F(PipelineSchedulerTest, ARecordThatDoesNotEndIsGivenAfterAMoment) {
  begin("numa-pod-era-v4.log");
  text_ = "I1121 01:34:50.000001       1 a.go:1] \"status\" detail=<\n\tone\n";
  write(0, text_.size());
  EXPECT_NE(pipeline_->next(), Pipeline::Clock::time_point::max());
  EXPECT_EQ(main_, "");
  take(std::chrono::seconds(5));
  EXPECT_EQ(main_, text_) << "its verbosity is not known, so it passes";
  EXPECT_EQ(pipeline_->next(), Pipeline::Clock::time_point::max());
}

}  // namespace
}  // namespace flowtap::flow
