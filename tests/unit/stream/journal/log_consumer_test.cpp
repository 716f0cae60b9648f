// What the ring says reaches the journal, is acknowledged, and ends; what was lost is found in the slots.
#include "stream/journal/consumer/log_consumer.hpp"

#include <thread>

#include "tests/unit/stream/journal/consumer_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

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

// A stream may be silent for days behind what it has lost.
TEST_F(LogConsumerTest, WhatASilentStreamHasLostIsToldWithoutAnotherByte) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("abc")}});
  rounds();
  slots_.slots[1].passed = 10;
  slots_.slots[1].lost[FTAP_LOSS_RING_FULL] = 5;
  rounds_for(120ms);
  EXPECT_EQ(journal_->stream(1)->sums.passed, 3U) << "two bytes are on their way";
  slots_.slots[1].passed = 8;
  rounds_for(120ms);
  EXPECT_EQ(journal_->stream(1)->sums.passed, 8U);
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 5U);
  EXPECT_FALSE(journal_->stream(1)->sums.ended);
  slots_.slots[1].passed = 10;
  source_.push({3, Bytes{1, 8, 0, bytes("de")}});
  rounds_for(120ms);
  EXPECT_EQ(journal_->read(1, 8, 10)->bytes, "de");
  open();
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 5U) << "and it is so after a start";
  EXPECT_EQ(journal_->stream(1)->sums.passed, 10U);
}

// Another thread of the reader was still on its way out of the kernel when the stream ended.
TEST_F(LogConsumerTest, WhatWasReadBehindTheEndIsMissing) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("abc")}});
  source_.push({3, End{1, 3, {}}});
  slots_.slots[1].passed = 3;
  slots_.slots[1].ended = true;
  rounds();
  ASSERT_TRUE(journal_->stream(1)->sums.ended);
  slots_.slots[1].passed = 8;
  slots_.slots[1].lost[FTAP_LOSS_UNCAPTURED] = 5;
  rounds_for(120ms);
  EXPECT_TRUE(slots_.slots.empty());
  EXPECT_EQ(consumer_->counts().lost[FTAP_LOSS_UNCAPTURED], 5U);
  for (int start = 0; start < 2; ++start) {
    EXPECT_EQ(journal_->stream(1)->sums.passed, 8U);
    EXPECT_EQ(journal_->stream(1)->sums.missing(), 5U);
    EXPECT_EQ(journal_->stream(1)->sums.lost[FTAP_LOSS_UNCAPTURED], 5U);
    EXPECT_TRUE(journal_->stream(1)->sums.ended);
    open();
  }
}

// The end of a stream comes behind its bytes even if the ring is not drained for a while. Otherwise these would be nobody's.
TEST_F(LogConsumerTest, AStreamDoesNotEndBeforeWhatWaitsInTheRing) {
  slots_.slots[1] = slot_of(1);
  source_.push({1, enter_of(1, 0)});
  rounds();
  source_.set_busy(true);
  source_.push({2, Bytes{1, 0, 0, bytes("its last words")}});
  slots_.slots[1].ended = true;
  slots_.slots[1].passed = 14;
  rounds_for(200ms);
  EXPECT_FALSE(journal_->stream(1)->sums.ended);
  source_.set_busy(false);
  rounds_for(200ms);
  EXPECT_TRUE(journal_->stream(1)->sums.ended);
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 0U);
  EXPECT_EQ(text(1), "its last words");
}

TEST_F(LogConsumerTest, APipeThatNobodyReadsEnds) {
  slots_.slots[1] = slot_of(1);
  slots_.slots[2] = slot_of(2);
  slots_.unused = {1};
  source_.push({1, enter_of(1, 2)});
  source_.push({2, CgroupGone{7}});
  rounds();
  rounds_for(250ms);
  EXPECT_TRUE(slots_.ended.empty()) << "a few looks may miss a reader that waits for a CPU";
  rounds_for(250ms);
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1}) << "the other one may still be read";
}

// Whoever has read something meanwhile is there, although the looks at the node's files have missed it.
TEST_F(LogConsumerTest, APipeThatIsReadDoesNotEnd) {
  slots_.slots[1] = slot_of(1);
  slots_.unused = {1};
  source_.push({1, enter_of(1, 0)});
  source_.push({2, CgroupGone{7}});
  for (int i = 0; i < 10; ++i) {
    ++slots_.slots[1].passed;
    rounds_for(200ms);
  }
  EXPECT_TRUE(slots_.ended.empty());
  rounds_for(500ms);
  EXPECT_EQ(slots_.ended, std::vector<StreamNo>{1});
}

TEST_F(LogConsumerTest, WhatAReaderHasLeftInThePipeIsMissing) {
  slots_.slots[1] = slot_of(1);
  slots_.slots[1].passed = 3;
  slots_.slots[1].written = 10;
  slots_.unused = {1};
  source_.push({1, enter_of(1, 0)});
  source_.push({2, Bytes{1, 0, 0, bytes("abc")}});
  source_.push({3, CgroupGone{7}});
  rounds_for(600ms);
  const auto stream = journal_->stream(1);
  ASSERT_TRUE(stream->sums.ended);
  EXPECT_EQ(stream->sums.passed, 10U);
  EXPECT_EQ(stream->sums.missing(), 7U);
  EXPECT_EQ(stream->sums.lost[FTAP_LOSS_UNREAD], 7U);
  EXPECT_EQ(consumer_->counts().lost[FTAP_LOSS_UNREAD], 7U);
}

// A terminal has ended when its container is gone; nothing else shows it.
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

// If nothing is pinned, what is left in the ring is nobody's.
TEST_F(LogConsumerTest, WhatCameBeforeTheEndIsTaken) {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> failed = 0;
  slots_.next_beat = [&] {  // the round has drained the ring by then
    source_.push({1, enter_of(1, 0)});
    source_.push({2, Bytes{1, 0, 0, bytes("last words")}});
    stop = true;
  };
  consumer_->run(stop, failed);
  EXPECT_EQ(text(1), "last words");
  EXPECT_EQ(failed, 0U);
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

// Each wake-up costs power, so the consumer sleeps longer while nobody waits for what comes.
TEST_F(LogConsumerTest, RestsWhileNobodyWaits) {
  LogConsumer consumer(source_, *journal_, slots_, namer_,
                       {.poll = 2ms, .rest = 20ms, .followed = [this] { return lines_followed_; }}, &files_);
  const auto patience = [&] {
    source_.interrupt();  // no test waits for it
    consumer.round();
    source_.interrupt();
    consumer.round();
    return source_.patience();
  };
  EXPECT_EQ(patience(), 20ms);
  lines_followed_ = true;
  EXPECT_EQ(patience(), 2ms);
  lines_followed_ = false;
  EXPECT_EQ(patience(), 20ms);
  namer_.answers = {{NamingState::kPartial, {}, {}, true, 5}};
  source_.push({1, enter_of(1, 2)});
  EXPECT_EQ(patience(), 2ms) << "a name is looked for";
}

TEST_F(LogConsumerTest, AFileThatIsTappedAmidARoundIsAFileFromItsFirstRecord) {
  source_.push({1, Bytes{9, 0, 0, bytes(std::string(1U << 20U, 'x'))}});  // so large that there may be more
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
