// The flows have what the streams say, in its order. What is missing is said, and no trouble stops the others.
#include <chrono>
#include <fstream>

#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

TEST_F(PipelineTest, LinesAcrossWritesAndStreams) {
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  bytes(1, 0, "one\ntw"), bytes(2, 0, "err"), bytes(1, 6, "o\n\n"), bytes(2, 3, "or\nlast");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "", "2:error"}));
  EXPECT_TRUE(store_->summary("pod/a")->open());
  end(1, 9);
  append();
  EXPECT_TRUE(store_->summary("pod/a")->open());
  end(2, 10);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "", "2:error", "2:last~"}));
  EXPECT_FALSE(store_->summary("pod/a")->open());
}

// Bytes that no file system took reach the flow all the same, in their order, and so does the end.
TEST_F(PipelineTest, AJournalThatCannotBeWrittenStopsNothing) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "one\n");
  append();
  std::filesystem::remove_all(dir_ / "journal");
  std::ofstream(dir_ / "journal") << "no directory";
  bytes(1, 4, "two\n"), bytes(2, 0, "b\n");
  EXPECT_FALSE(journal_->append(batch_));
  batch_.clear();
  bytes(1, 8, "three\n"), end(2, 2);
  EXPECT_FALSE(journal_->append(batch_));
  batch_.clear();
  take();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "three"}));
  EXPECT_FALSE(store_->summary("pod/b")->open());
  std::filesystem::remove(dir_ / "journal");
  bytes(1, 14, "four\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "three", "four"}));
}

// There are more flows than may wait in memory, and none of them can be written. They are read all the same.
TEST_F(PipelineTest, AStoreThatCannotBeWrittenStopsNothing) {
  StoreOptions options;
  std::ofstream(dir_ / "file") << "no directory";
  options.dir = dir_ / "file/flows";
  options.buffers = 1;
  pipeline_.reset();
  store_ = FlowStore::open(options);
  pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
  for (StreamNo stream = 1; stream <= 5; ++stream) {
    name(stream, "pod/" + std::to_string(stream));
    bytes(stream, 0, "one\n"), bytes(stream, 4, "two\n");
  }
  append();
  for (StreamNo stream = 1; stream <= 5; ++stream)
    EXPECT_EQ(lines("pod/" + std::to_string(stream)), (Lines{"one", "two"}));
  EXPECT_GT(store_->stats().write_errors, 0U);
}

// The stream's end had to make room in the journal before anybody took it.
TEST_F(PipelineTest, AnEndThatNobodyReadIsFound) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "one\n");
  append();
  end(1, 6);
  ASSERT_TRUE(journal_->append(batch_));
  batch_.clear();
  const std::string block(2047, 'x');
  for (std::uint64_t at = 0; journal_->stats().evicted_segments < 4; at += 2048) {
    bytes(2, at, block + "\n");
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
  }
  EXPECT_TRUE(store_->summary("pod/a")->open());
  take();
  EXPECT_FALSE(store_->summary("pod/a")->open());
  EXPECT_TRUE(store_->summary("pod/b")->open());
}

// Short lines take much more room in the log, but stay within the bounds.
TEST_F(PipelineTest, ManyShortLinesAtOnce) {
  name(1, "pod/a");
  const std::string newlines(60'000, '\n');
  for (std::uint64_t at = 0; at < 480'000; at += newlines.size()) bytes(1, at, newlines);
  ASSERT_TRUE(journal_->append(batch_));
  std::uint64_t most = 0;
  while (pipeline_->take(Clock::now(), 1)) most = std::max(most, store_->stats().buffered_bytes);
  constexpr std::uint64_t kLine = 60;  // of a line with only a newline, at most
  EXPECT_LE(most, StoreOptions{}.buffer_bytes + newlines.size() * kLine);
  EXPECT_EQ(store_->summary("pod/a")->lines, 480'000U);
}

TEST_F(PipelineTest, OvertakenRecordsAreInOrderAndMissingOnesSaid) {
  name(1, "pod/a");
  bytes(1, 4, "two\n"), bytes(1, 0, "one\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two"}));
  const auto now = Clock::now();
  bytes(1, 8, "cut of"), bytes(1, 20, "f\nnext\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two"}));
  EXPECT_LE(pipeline_->next(), now + 1s);
  take(now + 1s);
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "cut of~", "<6>", "f", "next"}));
  EXPECT_EQ(pipeline_->next(), Clock::time_point::max());
  EXPECT_EQ(store_->summary("pod/a")->missing, 6U);
  EXPECT_EQ(pipeline_->stats().missing, 6U);
  end(1, 30);
  append();
  EXPECT_EQ(lines("pod/a").back(), "<3>");
  EXPECT_EQ(pipeline_->stats().missing, 9U) << "as the metric counts it";
  EXPECT_EQ(pipeline_->stats().bytes, 21U) << "all others";
  bytes(1, 30, "late\n");
  append();
  EXPECT_EQ(lines("pod/a").back(), "<3>") << "it has ended";
}

TEST_F(PipelineTest, HeldBytesAreGivenAtTheEnd) {
  name(1, "pod/a");
  bytes(1, 0, "one\n"), bytes(1, 8, "three\n");
  end(1, 20);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "<4>", "three", "<6>"}));
}

TEST_F(PipelineTest, ALineThatDoesNotEndIsKeptBeforeTheJournalLosesIt) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "password: ");
  append();
  const std::string block(2047, 'x');
  std::uint64_t at = 0;
  while (journal_->stats().evicted_segments < 4) {
    for (int i = 0; i < 8; ++i, at += 2048) bytes(2, at, block + "\n");
    append();
  }
  EXPECT_EQ(lines("pod/a"), Lines{"password: ~"});
  open();
  EXPECT_EQ(lines("pod/a"), Lines{"password: ~"});
  bytes(1, 10, "\nwelcome\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"password: ~", "", "welcome"}));
}

TEST_F(PipelineTest, WhatTheJournalHasLostBeforeAStartIsAGap) {
  name(1, "pod/a");
  const std::string block(2047, 'x');
  std::uint64_t at = 0;
  for (; journal_->stats().evicted_segments < 4; at += 2048) {
    bytes(1, at, block + "\n");
    append();
  }
  const std::uint64_t held = journal_->stream(1)->held;
  std::filesystem::remove_all(dir_ / "flows"), std::filesystem::create_directory(dir_ / "flows");
  open();
  EXPECT_EQ(lines("pod/a").size(), held / 2048) << "a flow that is not known begins where the journal does";
  EXPECT_EQ(store_->summary("pod/a")->missing, 0U);
}

TEST_F(PipelineTest, WhatNeitherTheFlowNorTheJournalHasIsAGap) {
  name(1, "pod/a");
  bytes(1, 0, "first\n");
  append();
  store_->flush({}, 1, true);
  const std::string block(2047, 'x');
  std::uint64_t at = 6;
  // Nobody takes these bytes.
  for (; journal_->stats().evicted_segments < 4; at += 2048) {
    bytes(1, at, block + "\n");
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
  }
  const std::uint64_t gap = at - 6 - journal_->stream(1)->held;
  open();
  const Lines left = lines("pod/a");
  ASSERT_GT(left.size(), 2U);
  EXPECT_EQ(left.front(), "first");
  EXPECT_EQ(left.at(1), "<" + std::to_string(gap) + ">");
  EXPECT_EQ(store_->summary("pod/a")->missing, gap);
}

TEST_F(PipelineTest, AFlowThatHadToMakeRoomGoesOnWithoutAGap) {
  name(1, "pod/a");
  bytes(1, 0, "one\ntwo\n");
  append();
  open_for(1);
  name(2, "pod/b");
  bytes(2, 0, "b\n", 9'000'000'000);
  append();
  store_->flush({}, 1, true);
  ASSERT_FALSE(store_->find("pod/a"));
  bytes(1, 18, "four\n");
  end(1, 23);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"<10>", "four"}));
  EXPECT_EQ(store_->summary("pod/a")->missing, 10U);
}

// The other output may be silent for long. The flow that comes in the old one's place has not ended while that output is open.
TEST_F(PipelineTest, OfTwoOutputsOneEndsAfterTheFlowHadToMakeRoom) {
  two_outputs_make_room("pod/a");
  bytes(1, 4, "three\n");
  append();
  ASSERT_TRUE(store_->summary("pod/a")->open());
  end(1, 10);
  append();
  EXPECT_TRUE(store_->summary("pod/a")->open()) << "the other output may write on";
  bytes(2, 4, "four\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"three", "2:four"}));
  // Its name comes again, as it does after a correction. That is not another output.
  name(2, "pod/a", "stderr");
  end(2, 9);
  append();
  EXPECT_FALSE(store_->summary("pod/a")->open());
}

// A stream whose flow had to make room turns out to be another flow's. Neither the old flow nor the new one is left open.
TEST_F(PipelineTest, ANameIsCorrectedAfterTheFlowHadToMakeRoom) {
  two_outputs_make_room("container/a");
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  end(1, 4);
  append();
  EXPECT_TRUE(store_->summary("pod/a")->open());
  end(2, 4);
  append();
  EXPECT_FALSE(store_->summary("pod/a")->open());
  EXPECT_FALSE(store_->find("container/a"));
}

// One of two outputs has written since the flow made room, so there is a flow in its place when the other output gets another
// name. By the time the first output gets another name, it has written under the old one.
TEST_F(PipelineTest, OneOfTwoNamesIsCorrectedAfterTheFlowHadToMakeRoom) {
  for (const bool first_has_ended : {true, false}) {
    SCOPED_TRACE(first_has_ended);
    journal_.reset();
    std::filesystem::remove_all(dir_ / "journal"), std::filesystem::remove_all(dir_ / "flows");
    std::filesystem::create_directory(dir_ / "flows");
    open();
    open_for(2);
    name(1, "container/a"), name(2, "container/a", "stderr");
    bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
    append();
    for (const StreamNo other : {3U, 4U}) {
      name(other, "pod/" + std::to_string(other));
      bytes(other, 0, "b\n", other * 9'000'000'000);
    }
    append();
    store_->flush({}, 1, true);
    ASSERT_FALSE(store_->find("container/a"));
    bytes(1, 4, "three\n");
    append();
    if (first_has_ended) {
      end(1, 10);
      append();
      EXPECT_TRUE(store_->summary("container/a")->open());
      name(2, "pod/a", "stderr");
      append();
      EXPECT_FALSE(store_->summary("container/a")->open());
    } else {
      name(1, "pod/a");
      append();
      bytes(2, 4, "four\n");
      append();
      name(2, "pod/a", "stderr");
      end(1, 10);
      append();
      EXPECT_FALSE(store_->find("container/a"));
    }
    EXPECT_TRUE(store_->summary("pod/a")->open());
    end(2, 9);
    append();
    EXPECT_FALSE(store_->summary("pod/a")->open());
  }
}

TEST_F(PipelineTest, AStartEndsWhatNobodyWritesTo) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
  append();
  store_->flush({}, 1, true);
  journal_.reset();
  std::filesystem::remove_all(dir_ / "journal");
  open();
  EXPECT_FALSE(store_->summary("pod/a")->open());
  EXPECT_EQ(lines("pod/a"), Lines{"one"});
}

}  // namespace
}  // namespace flowtap::flow
