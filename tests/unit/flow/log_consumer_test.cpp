// The consumer between a scripted ring, a real journal, and scripted slots and names.
#include "flow/log_consumer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "flow/scripted_source.hpp"
#include "tests/support/temp_dir.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

class ScriptedSlots final : public StreamControl {
 public:
  std::map<StreamNo, StreamSlot> slots;
  std::vector<StreamNo> ended;
  std::vector<StreamNo> freed;
  std::vector<StreamNo> unused;
  bool woken = false;
  int beats = 0;
  std::function<void()> next_beat;  // once
  StreamNo next_number = 1000;

  [[nodiscard]] std::vector<StreamSlot> sweep() const override {
    std::vector<StreamSlot> all;
    for (const auto& [number, slot] : slots) all.push_back(slot);
    return all;
  }
  [[nodiscard]] std::vector<StreamSlot> abandoned(const std::vector<StreamSlot>& streams) const override {
    std::vector<StreamSlot> found;
    for (const StreamSlot& stream : streams)
      if (std::ranges::find(unused, stream.stream) != unused.end()) found.push_back(stream);
    return found;
  }
  Status end(const StreamSlot& slot) override {
    ended.push_back(slot.stream);
    slots.at(slot.stream).ended = true;
    return {};
  }
  void free(const StreamSlot& slot) override {
    freed.push_back(slot.stream);
    slots.erase(slot.stream);
  }
  [[nodiscard]] StreamNo take_number() override { return next_number++; }
  void beat() override {
    ++beats;
    if (const auto once = std::exchange(next_beat, nullptr)) once();
  }
  void wake(bool on) override { woken = on; }
};

// Answers one after the other, the last one for ever.
class ScriptedNamer final : public Namer {
 public:
  std::vector<Naming> answers;
  std::size_t asked = 0;

  [[nodiscard]] Naming name(const Enter&) override {
    return answers.at(std::min(asked++, answers.size() - 1));
  }
};

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

Enter enter_of(StreamNo out, StreamNo err, std::uint64_t cgroup = 7) {
  Enter enter;
  enter.cgroup = cgroup;
  enter.pid = 100;
  enter.outputs = {Enter::Output{out, 1000 + out, 15, FTAP_KIND_PIPE},
                   Enter::Output{err, 1000 + err, 15, FTAP_KIND_PIPE}};
  return enter;
}

StreamSlot slot_of(StreamNo stream) {
  StreamSlot slot;
  slot.stream = stream;
  slot.cgroup = 7;
  slot.pid = 100;
  slot.fds = FTAP_STDOUT;
  return slot;
}

class ScriptedFile final : public FileContent {
 public:
  explicit ScriptedFile(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return text_.size(); }
  [[nodiscard]] std::optional<Written> written(std::uint64_t position) const override {
    return Written{position, text_.size()};
  }
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<std::byte> into) const override {
    const auto rest = bytes(text_).subspan(position);
    std::ranges::copy(rest.first(std::min(rest.size(), into.size())), into.begin());
    return std::min(rest.size(), into.size());
  }
  [[nodiscard]] StreamName name(const FilePlace&) const override {
    return {.flow = "file/log", .output = "both", .identity = "{}", .kind = FTAP_KIND_FILE};
  }

 private:
  std::string text_;
};

class LogConsumerTest : public testing::Test {
 protected:
  LogConsumerTest() : source_("ring") {
    namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5}};
    open();
  }

  void open() {
    consumer_.reset();
    journal_.reset();
    auto journal = Journal::open({.dir = dir_ / "journal"});
    ASSERT_TRUE(journal) << journal.error().what;
    journal_ = std::move(*journal);
    consumer_ = std::make_unique<LogConsumer>(source_, *journal_, slots_, namer_,
                                              ConsumerOptions{.poll = 1ms,
                                                              .patience = 30ms,
                                                              .sweep = 0ms,
                                                              .slot_rest = 5ms,
                                                              .users = 0s,
                                                              .followed = [this] { return lines_followed_; }},
                                              &files_);
  }

  void rounds(int n = 3) {
    for (int i = 0; i < n; ++i) consumer_->round();
  }
  void rounds_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) consumer_->round();
  }
  [[nodiscard]] std::string text(StreamNo stream) const {
    const auto reading = journal_->read(stream, 0, 1U << 20U);
    return reading ? reading->bytes : "not known";
  }
  [[nodiscard]] std::string flow_of(StreamNo stream) const {
    const auto view = journal_->stream(stream);
    return view && view->name ? view->name->flow + " " + view->name->output : "none";
  }

  test::TempDir dir_;
  ScriptedSource source_;
  ScriptedSlots slots_;
  ScriptedNamer namer_;
  FileStreams files_;
  std::unique_ptr<Journal> journal_;
  bool lines_followed_ = false;
  std::unique_ptr<LogConsumer> consumer_;
};

TEST_F(LogConsumerTest, BytesStandUnderTheirNamesAndTheRingIsFreed) {
  source_.push({1, enter_of(1, 2)});
  source_.push({2, Bytes{1, 0, 0, bytes("out")}});
  source_.push({3, Bytes{2, 0, 0, bytes("err")}});
  source_.push({4, End{1, 3, {}}});
  rounds();
  EXPECT_EQ(text(1), "out");
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(flow_of(2), "pod/a/b/c/d/0 stderr");
  EXPECT_TRUE(journal_->stream(1)->sums.ended);
  EXPECT_FALSE(journal_->stream(2)->sums.ended);
  EXPECT_EQ(source_.held(), 0U);
  EXPECT_GT(slots_.beats, 0);
}

TEST_F(LogConsumerTest, OnePlaceForBothOutputsIsOneStream) {
  source_.push({1, enter_of(4, 4)});
  rounds();
  EXPECT_EQ(flow_of(4), "pod/a/b/c/d/0 both");
}

TEST_F(LogConsumerTest, OfTwoPartialAnswersTheOneThatKnewMoreStays) {
  namer_.answers = {{NamingState::kPartial, "pod/a/b/c/d/id-1", "{}", true, 4},
                    {NamingState::kPartial, "container/1", "{}", true, 0}};
  source_.push({1, enter_of(1, 0)});
  rounds(1);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/id-1 stdout") << "at once, lest it is forgotten";
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/id-1 stdout");
}

// stdout leads to /dev/null, stderr to a file: what a runtime gives a container, and no program captures.
Enter uncaptured() {
  Enter enter = enter_of(0, 0);
  enter.outputs = {Enter::Output{0, 5, 6, FTAP_KIND_NONE}, Enter::Output{0, 77, 8, FTAP_KIND_FILE}};
  return enter;
}

TEST_F(LogConsumerTest, WhatIsNotCapturedIsListedAndHasEnded) {
  source_.push({1, uncaptured()});
  rounds();
  const auto streams = journal_->streams();
  ASSERT_EQ(streams.size(), 2U);
  for (const StreamView& stream : streams) {
    EXPECT_EQ(stream.name->capture, Capture::kNot);
    EXPECT_EQ(stream.name->flow, "pod/a/b/c/d/0");
    EXPECT_TRUE(stream.sums.ended);
    EXPECT_EQ(stream.sums.passed, 0U);
  }
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(flow_of(1001), "pod/a/b/c/d/0 stderr");
  EXPECT_EQ(journal_->stream(1001)->name->kind, FTAP_KIND_FILE);
}

TEST_F(LogConsumerTest, WhatIsNotCapturedIsListedOnceAlsoWhenTheNameGrowsAndTheServiceStartsAgain) {
  namer_.answers = {{NamingState::kPartial, "container/1", "{}", true, 1},
                    {NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5}};
  source_.push({1, uncaptured()});
  rounds_for(30ms);
  EXPECT_EQ(journal_->streams().size(), 2U);
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stdout");
  open();
  consumer_->enter(uncaptured());  // found at the start, since it still runs
  rounds_for(30ms);
  EXPECT_EQ(journal_->streams().size(), 2U);
}

TEST_F(LogConsumerTest, OfWhatIsListedFilesThatAreNotSeenAreListedAndNothingElse) {
  Enter enter = uncaptured();
  enter.rule = FTAP_RULE_PROCESS;
  enter.cgroup = 0;  // it is in none
  source_.push({1, enter});
  rounds();
  EXPECT_EQ(journal_->streams().size(), 1U);
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0 stderr");
  EXPECT_EQ(journal_->stream(1000)->name->capture, Capture::kNot);
  EXPECT_EQ(journal_->stream(1000)->name->kind, FTAP_KIND_FILE);
  consumer_->enter(enter);  // found at the start of another service
  rounds();
  EXPECT_EQ(journal_->streams().size(), 1U);
  ++enter.pid;
  namer_.answers = {{NamingState::kNamed, "proc/2", "{}", true, 0}};
  consumer_->enter(enter);
  rounds();
  EXPECT_EQ(flow_of(1001), "proc/2 stderr");
}

TEST_F(LogConsumerTest, APodsSandboxIsNotListedForOutputsThatItNeverUses) {
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/POD/id-1", "{}", false, 5}};
  source_.push({1, uncaptured()});
  rounds();
  EXPECT_TRUE(journal_->streams().empty());
}

TEST_F(LogConsumerTest, AnInheritedPipeStaysItsFirstOwners) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 1, 7)});
  rounds();
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0/inner", "{}", true, 5}};
  source_.push({2, enter_of(1, 1, 8)});
  rounds();
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 both");
  EXPECT_EQ(flow_of(1000), "pod/a/b/c/d/0/inner both");
  EXPECT_EQ(journal_->stream(1000)->name->capture, Capture::kElsewhere);
  open();
  source_.push({3, enter_of(1, 1, 9)});
  rounds();
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 both") << "also for a service that did not see its first owner enter";
  namer_.answers = {{NamingState::kNotOurs, {}, {}, true, 0}};
  source_.push({4, enter_of(1, 1, 10)});
  rounds();
  EXPECT_TRUE(slots_.ended.empty()) << "nor is it let go with somebody else";
}

TEST_F(LogConsumerTest, ANameThatComesLateIsTaken) {
  namer_.answers = {{}, {}, {NamingState::kNamed, "container/late", "{}", true, 1}};
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("first bytes")}});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "container/late stdout");
  EXPECT_EQ(text(1), "first bytes");
}

TEST_F(LogConsumerTest, WhatIsNoContainerIsLetGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, true, 0}};
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  rounds();
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1});
  EXPECT_EQ(flow_of(1), "none");
  EXPECT_EQ(consumer_->counts().let_go, 1U);
  rounds_for(120ms);
  EXPECT_EQ(slots_.freed, std::vector<StreamNo>{1});
}

TEST_F(LogConsumerTest, AnEnterThatWasLostIsFoundInTheSlots) {
  slots_.slots[1] = slot_of(1);
  source_.push({2, Bytes{1, 0, 0, bytes("nobody said who")}});
  rounds();
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
}

TEST_F(LogConsumerTest, AnEndThatWasLostIsFoundInTheSlotsAndThenItIsFreed) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("abc")}});
  rounds();
  slots_.slots[1].ended = true;
  slots_.slots[1].passed = 10;
  slots_.slots[1].lost[FTAP_LOSS_RING_FULL] = 7;
  rounds_for(120ms);
  const auto stream = journal_->stream(1);
  EXPECT_TRUE(stream->sums.ended);
  EXPECT_EQ(stream->sums.missing(), 7U);
  EXPECT_EQ(slots_.freed, std::vector<StreamNo>{1});
  EXPECT_EQ(consumer_->counts().lost[FTAP_LOSS_RING_FULL], 7U) << "also when the slot is gone";
}

TEST_F(LogConsumerTest, APipeThatNobodyReadsEnds) {
  slots_.slots[1] = slot_of(1);
  slots_.slots[2] = slot_of(2);
  slots_.unused = {1};
  source_.push({1, enter_of(1, 2)});
  source_.push({2, CgroupGone{7}});
  rounds();
  EXPECT_TRUE(slots_.ended.empty()) << "once may be a mistake";
  rounds_for(250ms);
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1}) << "the other one may still be read";
}

// Nothing shows the end of a terminal but that its container is gone.
TEST_F(LogConsumerTest, ATerminalEndsWithItsContainer) {
  for (const StreamNo stream : {1U, 2U, 3U, 4U}) {
    slots_.slots[stream] = slot_of(stream);
    slots_.slots[stream].kind = FTAP_KIND_TTY;
    slots_.slots[stream].cgroup = stream;
  }
  slots_.slots[4].cgroup = 0;  // a tap's
  slots_.unused = {2, 4};
  for (const StreamNo stream : {1U, 2U, 3U}) source_.push({1, enter_of(stream, stream, stream)});
  source_.push({2, CgroupGone{1}});
  rounds_for(250ms);
  std::ranges::sort(slots_.ended);
  EXPECT_EQ(slots_.ended, (std::vector<StreamNo>{1, 2})) << "the second one's removal was not told";
}

TEST_F(LogConsumerTest, BrokenRecordsAreCountedAndPassedOver) {
  source_.push_raw({std::byte{1}, std::byte{2}});
  source_.push({2, Bytes{1, 0, 0, bytes("whole")}});
  rounds();
  EXPECT_EQ(consumer_->counts().broken_records, 1U);
  EXPECT_EQ(text(1), "whole");
}

TEST_F(LogConsumerTest, AnotherStartGoesOnWhereTheJournalEnds) {
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("one ")}});
  rounds();
  open();
  source_.push({3, Bytes{1, 4, 0, bytes("two")}});
  rounds();
  EXPECT_EQ(text(1), "one two");
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
}

TEST_F(LogConsumerTest, WhoFollowsIsToldAtOnceWhileRecordsAreFew) {
  const auto follower = journal_->follow();
  ASSERT_TRUE(follower);
  rounds(1);
  EXPECT_TRUE(slots_.woken);
  for (int i = 0; i < 10'000; ++i) source_.push({1, Bytes{1, static_cast<std::uint64_t>(i), 0, bytes("x")}});
  rounds(1);
  EXPECT_FALSE(slots_.woken) << "waking for each of so many would cost more than it brings";
}

TEST_F(LogConsumerTest, WhoOnlyMakesFilesOfItIsNotHurriedFor) {
  const auto patient = journal_->follow({}, Followers::Hurry::kNo);
  ASSERT_TRUE(patient);
  rounds(1);
  EXPECT_FALSE(slots_.woken);
  lines_followed_ = true;
  rounds(1);
  EXPECT_TRUE(slots_.woken) << "somebody follows what is made of it";
}

// As a process's outputs are tapped: the stream is there before its name, and the process is in no container.
StreamSlot tapped_slot() {
  StreamSlot slot = slot_of(1);
  slot.cgroup = 0;
  return slot;
}

TEST_F(LogConsumerTest, WhoOpenedAStreamNamesIt) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  consumer_->name(1, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "proc/1-2 stdout");
  EXPECT_TRUE(slots_.ended.empty()) << "a sweep that comes with the name does not let it go";
}

TEST_F(LogConsumerTest, ASweepBetweenAStreamAndItsNameDoesNotLetItGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  rounds();
  consumer_->name(1, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "proc/1-2 stdout");
  EXPECT_TRUE(slots_.ended.empty());
}

TEST_F(LogConsumerTest, AStreamThatNobodyNamesIsLetGo) {
  namer_.answers = {{NamingState::kNotOurs, {}, {}, 0}};
  slots_.slots[1] = tapped_slot();
  rounds_for(60ms);
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1}) << "whoever opened it was killed";
}

TEST_F(LogConsumerTest, ManyThreadsMayTellOfProcessesAndNames) {
  std::vector<std::thread> threads;
  for (StreamNo base = 10; base < 50; base += 10)
    threads.emplace_back([this, base] {
      for (StreamNo i = 0; i < 5; ++i) {
        consumer_->enter(enter_of(base + i, 0));
        consumer_->name(base + 5 + i, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
      }
    });
  for (int i = 0; i < 20; ++i) consumer_->round();
  for (auto& thread : threads) thread.join();
  rounds();
  for (StreamNo base = 10; base < 50; base += 10) {
    EXPECT_EQ(flow_of(base + 4), "pod/a/b/c/d/0 stdout");
    EXPECT_EQ(flow_of(base + 9), "proc/1-2 stdout");
  }
}

TEST_F(LogConsumerTest, AFileThatIsTappedAmidARoundIsAFileFromItsFirstRecord) {
  source_.push({1, Bytes{9, 0, 0, bytes(std::string(1U << 20U, 'x'))}});  // so much that there may be more
  slots_.next_beat = [this] {
    const Status added = files_.add([this]() -> Result<FileStreams::Added> {
      source_.push({2, Bytes{1, 0, 7, bytes("told")}});
      return FileStreams::Added{
          {.stream = 1, .tapped_from = 7}, "file/log", std::make_unique<ScriptedFile>("before told")};
    });
    EXPECT_TRUE(added);
  };
  rounds();
  EXPECT_EQ(text(1), "before told");
  EXPECT_EQ(flow_of(1), "file/log both");
}

}  // namespace
}  // namespace flowtap::flow
