// What the journal has no room for waits in the ring: the journal gives up what was not taken only once both are full.
#include <thread>

#include "tests/unit/stream/journal/consumer_ahead.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST_F(LogConsumerAhead, WhoTakesAllOfTheJournalIsWaitedFor) {
  begin(1h);
  rounds();
  EXPECT_GT(source_.held(), pieces_ / 8);
  EXPECT_LT(source_.held(), pieces_ / 3) << "the journal takes what it has room for";
  take_all();
  rounds();
  EXPECT_EQ(source_.held(), 0U);
  take_all();
}

// A ring that is nearly full, as after a start behind a long pause, still holds what the journal has no room for.
TEST_F(LogConsumerAhead, ARingThatIsMoreThanHalfFullWaitsToo) {
  begin(1h, 2);
  source_.fill_is = 0.89;
  rounds_for(30ms);
  EXPECT_GT(source_.held(), pieces_ / 2);
  take_by(std::size_t{1} << 20U, 0ms);
  EXPECT_EQ(source_.held(), 0U);
  take_all();
  EXPECT_EQ(journal_->stream(1)->sums.captured, pieces_ * text_.size());
}

// However slow it is, nothing is lost to it.
TEST_F(LogConsumerAhead, WhoTakesSomethingIsWaitedForHoweverLongItTakes) {
  begin(20ms, 2);
  rounds();
  append_others();
  EXPECT_GT(take_by(std::size_t{64} << 10U, 19ms), 50U);
  EXPECT_EQ(source_.held(), 0U);
  take_all();
}

TEST_F(LogConsumerAhead, WhoStandsStillIsNotWaitedForWithoutEnd) {
  begin(20ms, 2);
  rounds_for(19ms);
  EXPECT_GT(source_.held(), pieces_ / 2);
  rounds_for(10ms);
  EXPECT_EQ(source_.held(), 0U);
}

TEST_F(LogConsumerAhead, AFullRingWaitsForNobody) {
  begin(1h);
  source_.fill_is = 0.9;
  rounds();
  EXPECT_EQ(source_.held(), 0U);
}

// What writers bring while the consumer waits for a CPU is as much, however small the ring is.
TEST_F(LogConsumerAhead, ASmallRingKeepsMoreOfItselfFree) {
  begin(1h, 2);
  source_.capacity_is = std::uint64_t{1} << 20U;
  source_.fill_is = 0.49;
  rounds_for(30ms);
  EXPECT_GT(source_.held(), pieces_ / 2);
  source_.fill_is = 0.5;
  rounds();
  EXPECT_EQ(source_.held(), 0U);
}

// Nothing comes into a ring at rest, but another one fills meanwhile.
TEST_F(LogConsumerAhead, ARingAtRestMayBeFullWhileTheOneThatFillsIsNot) {
  begin(1h, 2);
  source_.fill_is = 1;
  double other = 0;
  consumer_->rest([&] { return source_.fill_of(other); });
  rounds();
  EXPECT_GT(source_.held(), pieces_ / 2);
  take_by(std::size_t{1} << 20U, 0ms);
  take_all();
  for (std::uint64_t i = 0; i < pieces_; ++i) push(pieces_ + i);
  rounds();
  EXPECT_GT(source_.held(), pieces_ / 2);
  other = 0.9;
  rounds();
  EXPECT_EQ(source_.held(), 0U);
}

// A container that begins and ends while its records wait has its name all the same, and the name is looked for once.
TEST_F(LogConsumerAhead, WhatBeginsMeanwhileIsNamedAtOnce) {
  begin(1h, 2);
  rounds();
  ASSERT_EQ(namer_.asked, 1U);
  source_.push({3, enter_of(3, 4, 8)});
  source_.push({4, Bytes{3, 0, 0, bytes("its first line")}});
  rounds(1);
  EXPECT_EQ(flow_of(3), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(text(3), "") << "its bytes wait behind those that came before";
  source_.push({5, enter_of(5, 6, 9)});
  rounds();
  EXPECT_EQ(namer_.asked, 3U);
  namer_.answers = {{NamingState::kNotOurs, {}, {}, true, 0}};  // by now they are gone
  take_by(std::size_t{1} << 20U, 0ms);
  EXPECT_EQ(source_.held(), 0U);
  EXPECT_EQ(text(3), "its first line");
  EXPECT_EQ(flow_of(3), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(flow_of(5), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(namer_.asked, 3U);
  EXPECT_EQ(consumer_->counts().let_go, 0U);
  source_.push({6, enter_of(7, 8, 10)});
  rounds();
  EXPECT_EQ(namer_.asked, 4U) << "what begins behind these is not taken for one of them";
}

// A followed file has its bytes for as long as they are wanted, so it overruns nobody either.
TEST_F(LogConsumerAhead, AFileWaitsToo) {
  constexpr std::uint64_t kSize = std::uint64_t{80} << 20U;
  begin(1h);
  ASSERT_TRUE(files_.add([]() -> Result<FileStreams::Added> {
    return FileStreams::Added{
        {.stream = 9}, "file/log", std::make_unique<ScriptedFile>(std::string(kSize, 'f'))};
  }));
  source_.push({2, Bytes{9, kSize - 1, kSize - 1, bytes("f")}});
  take_by(std::size_t{1} << 20U, 1ms);
  for (int i = 0; i < 300; ++i) {
    rounds(3);
    take(std::size_t{1} << 20U);
  }
  take_all();
  EXPECT_EQ(journal_->stream(9)->sums.captured, kSize);
}

// But a file may be cut off, so it does not wait for the end of a flood.
TEST_F(LogConsumerAhead, AFileHasATurnAllTheSame) {
  constexpr std::uint64_t kSize = std::uint64_t{200} << 20U;
  begin(1h, 0);
  ASSERT_TRUE(files_.add([]() -> Result<FileStreams::Added> {
    return FileStreams::Added{
        {.stream = 9}, "file/log", std::make_unique<ScriptedFile>(std::string(kSize, 'f'))};
  }));
  source_.push({2, Bytes{9, kSize - 1, kSize - 1, bytes("f")}});
  rounds(200);
  const std::uint64_t read = journal_->stream(9)->sums.captured;
  ASSERT_LT(read, kSize) << "it waits";
  now_ += 3s;
  rounds(1);
  EXPECT_GT(journal_->stream(9)->sums.captured, read);
}

// What the tap has told of a file is known by its time, however long it was in the ring.
TEST_F(LogConsumerAhead, WhatWaitsInTheRingOfAFileIsNotTakenTwice) {
  begin(10h, 0);
  ASSERT_TRUE(files_.add([]() -> Result<FileStreams::Added> {
    return FileStreams::Added{
        {.stream = 9, .tapped_from = 8}, "file/log", std::make_unique<ScriptedFile>("one\ntwo\nthree\n")};
  }));
  rounds_for(300ms);
  ASSERT_EQ(text(9), "one\ntwo\nthree\n");
  for (std::uint64_t i = 0; i < 2000; ++i) push(i);
  source_.push({3, Bytes{9, 3, 8, bytes("three\n")}});  // it was under way when the tap was told of the file
  rounds();
  ASSERT_GT(source_.held(), 0U);
  now_ += 1h;
  take_by(std::size_t{1} << 20U, 1ms);
  take_all();
  EXPECT_EQ(journal_->stream(9)->sums.captured, 14U);
}

// A container that was named while its ENTER waited may be gone when the next service drains that. What was known of it stays.
TEST_F(LogConsumerAhead, WhatWasNamedMeanwhileKeepsItsNameInTheNextService) {
  begin(1h, 2);
  rounds();
  source_.push({3, enter_of(3, 4, 8)});
  rounds(1);
  ASSERT_EQ(flow_of(3), "pod/a/b/c/d/0 stdout");
  take_all();
  namer_.answers = {{NamingState::kPartial, "container/0123", "{}", true, 1}};
  open();
  rounds_for(300ms);
  take_by(std::size_t{1} << 20U, 1ms);
  rounds_for(300ms);
  EXPECT_EQ(flow_of(3), "pod/a/b/c/d/0 stdout");
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/1", "{}", true, 5}};
  source_.push({5, enter_of(5, 6, 9)});
  rounds();
  EXPECT_EQ(flow_of(5), "pod/a/b/c/d/1 stdout");
}

class LogConsumerEnd : public LogConsumerAhead {
 protected:
  // Takes the journal until the consumer has ended.
  void end(std::size_t bytes) {
    stop_ = true;
    std::atomic<bool> ended = false;
    std::thread taker([&] {
      while (!ended || take(bytes)) {
        take(bytes);
        std::this_thread::sleep_for(1ms);
      }
    });
    consumer_->run(stop_, failed_);
    ended = true;
    taker.join();
  }

  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> failed_ = 0;
};

TEST_F(LogConsumerEnd, TheLinesThreadIsWaitedForAtTheEndToo) {
  begin(1h, 2);
  end(std::size_t{2} << 20U);
  EXPECT_EQ(source_.held(), 0U);
  EXPECT_EQ(journal_->stream(1)->sums.captured, pieces_ * text_.size());
}

TEST_F(LogConsumerEnd, WhatHasNoRoomInTheJournalIsLeftInARingThatStays) {
  ring_stays_ = true;
  last_patience_ = 0ms;
  begin(1h, 2);
  stop_ = true;
  consumer_->run(stop_, failed_);
  EXPECT_GT(source_.held(), pieces_ / 2);
  take_all();
  begin(1h, 0);  // the next service
  rounds();
  take_by(std::size_t{1} << 20U, 1ms);
  take_all();
  EXPECT_EQ(text(1).size(), std::size_t{1} << 20U);
}

// Whoever has removed the pins meanwhile leaves the ring to nobody.
TEST_F(LogConsumerEnd, WhatHasNoRoomIsTakenAllTheSameOnceTheRingStaysNoMore) {
  ring_stays_ = true;
  last_patience_ = 0ms;
  begin(1h, 2);
  rounds();
  EXPECT_GT(source_.held(), pieces_ / 2);
  ring_stays_ = false;
  stop_ = true;
  consumer_->run(stop_, failed_);
  EXPECT_EQ(source_.held(), 0U);
}

}  // namespace
}  // namespace flowtap::flow
