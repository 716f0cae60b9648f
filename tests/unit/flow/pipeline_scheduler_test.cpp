// Schedulers' logs through the whole way from the journal: each record in its pod's flow, over starts amid it.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <random>
#include <stdexcept>

#include "flow/lines/scheduler_match.hpp"
#include "flow/pipeline.hpp"
#include "tests/unit/flow/journal_kit.hpp"
#include "tests/unit/flow/lines/scheduler_log.hpp"
#include "tests/unit/flow/store/store_kit.hpp"
#include "tests/unit/flow/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kJournal = 8U << 20U;
constexpr const char* kScheduler = "pod/kube-system/kube-scheduler-a/u/kube-scheduler/0";

using Flows = std::map<std::string, std::string>;  // their bytes

class PipelineSchedulerTest : public testing::Test {
 protected:
  void begin(const std::string& name) {
    dir_ = std::make_unique<TmpfsDir>();
    std::filesystem::create_directory(*dir_ / "flows");
    text_ = test::scheduler_log(name);
    main_.clear();
    open();
    Batch batch;
    batch.add(StreamEntry{1, {.flow = kScheduler, .output = "stderr", .identity = {}}});
    ASSERT_TRUE(journal_->append(batch));
  }
  void open() {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = open_journal(*dir_ / "journal", kJournal, kJournal / 8);
    StoreOptions options;
    options.dir = *dir_ / "flows";
    store_ = FlowStore::open(options);
    SchedulerOptions schedulers;
    const auto match = SchedulerMatch::parse({"pod/kube-system/kube-scheduler-*/kube-scheduler"});
    schedulers.is_scheduler = [match](const std::string& flow) { return match->matches(flow); };
    schedulers.main_log = [this](std::string_view text, bool full) {
      main_.append(text).append(full ? "\n" : "");
    };
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal, std::move(schedulers));
    pipeline_->replay(1);
  }
  void write(std::size_t from, std::size_t size, std::uint64_t time = 1'000'000'000) {
    Batch batch;
    batch.add(BytesEntry{1, from, time, 0, as_bytes(std::string_view(text_).substr(from, size))});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  void take(std::chrono::milliseconds later = {}) {
    while (pipeline_->take(now_.value_or(Pipeline::Clock::now()) + later, 1)) continue;
  }
  void end() {
    Batch batch;
    batch.add(EndEntry{1, text_.size(), 2'000'000'000, {}});
    ASSERT_TRUE(journal_->append(batch));
    take();
  }
  [[nodiscard]] std::string bytes_of(const std::string& flow) const {
    std::string bytes;
    const std::string log = log_of(*store_, flow);
    for (std::string_view rest = log; !rest.empty();) {
      const auto line = parse_cri_line(rest.substr(0, rest.find('\n')));
      EXPECT_TRUE(line && !line->missing);
      bytes.append(line->text).append(line->full ? "\n" : "");
      rest.remove_prefix(rest.find('\n') + 1);
    }
    return bytes;
  }
  [[nodiscard]] Flows seen() const {
    Flows all;
    for (const FlowSummary& flow : store_->flows())
      if (flow.id.starts_with("sched/") && flow.id != kMainLogFlow)
        all[flow.id.substr(6)] = bytes_of(flow.id);
    return all;
  }

  std::unique_ptr<TmpfsDir> dir_;
  std::string text_;
  std::string main_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FlowStore> store_;
  std::unique_ptr<Pipeline> pipeline_;
  std::optional<Pipeline::Clock::time_point> now_;  // empty: as it passes
};

// As other programs made them out of the golden logs.
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

// A record about a pod, which is written as a whole or is missing.
std::string said(const std::string& pod, int n) {
  return "I1121 01:34:50.000001       1 a.go:1] \"said\" pod=\"ns/" + pod + "\" n=" + std::to_string(n) +
         "\n";
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
  // What is missing will not come.
  void give_up() { *now_ += std::chrono::milliseconds(100), take(); }
  // And the flows around are told.
  void wait() { give_up(), *now_ += std::chrono::seconds(1), take(); }
  // The last words of each line; "<n>" for a gap.
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

// However many gaps there are, marks are no more than lines.
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
