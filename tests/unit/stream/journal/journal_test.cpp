// What goes into the journal comes out of it: bytes, gaps, names, sums and positions, also after a new start.
#include "stream/journal/journal.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  /// A new start over what is there.
  void reopen() {
    journal_.reset();
    journal_ = open_journal(dir_, max_, segment_);
  }
  void append() {
    const auto done = journal_->append(batch_);
    ASSERT_TRUE(done) << done.error().what;
    batch_.clear();
  }
  std::vector<fs::path> segments() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(dir_)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
  }

  TmpfsDir root_;
  std::string dir_ = root_ / "journal";
  std::uint64_t max_ = 1U << 20U;
  std::uint64_t segment_ = 1U << 16U;
  std::unique_ptr<Journal> journal_ = open_journal(dir_, max_, segment_);
  Batch batch_;
};

TEST_F(JournalTest, GivesBackBytesNamesAndPositions) {
  batch_.add(StreamEntry{7, name_of(7)});
  batch_.add(BytesEntry{7, 0, 111, 0, as_bytes(content(7, 0, 100))});
  batch_.add(BytesEntry{7, 100, 222, 5000, as_bytes(content(7, 100, 1))});
  batch_.set_position("ring", 4711);
  append();
  for (int start = 0; start < 3; ++start) {
    expect_whole(*journal_, 7, 101);
    const auto reading = journal_->read(7, 0, 1000).value();
    ASSERT_EQ(reading.pieces.size(), 2U);
    EXPECT_EQ(reading.pieces[0].time, 111U);
    EXPECT_EQ(reading.pieces[1].time, 222U);
    EXPECT_EQ(reading.pieces[1].position, 5000U);
    const auto stream = journal_->stream(7).value();
    EXPECT_EQ(*stream.name, name_of(7));
    EXPECT_EQ(stream.sums, (StreamSums{101, 0, 101, 111, 222, false, {}}));
    EXPECT_EQ(stream.held, 101U);
    EXPECT_EQ(journal_->position_of("ring"), 4711U);
    EXPECT_EQ(journal_->position_of("another boot's ring"), std::nullopt);
    reopen();
  }
  EXPECT_EQ(journal_->replayed().batches, 1U);
  EXPECT_EQ(journal_->replayed().torn_bytes, 0U);
  EXPECT_TRUE(journal_->replayed().said.empty());
}

TEST_F(JournalTest, ReadsFromAnyOffsetWithAnyLimit) {
  for (std::uint64_t at = 0; at < 300; at += 10) {
    add(batch_, 1, at, 10);
    if (at % 30 == 0) append();
  }
  append();
  for (std::uint64_t from = 0; from <= 300; ++from)
    for (const std::uint64_t limit : {1U, 3U, 10U, 17U, 1000U}) {
      const auto reading = journal_->read(1, from, limit).value();
      const auto size = std::min(limit, 300 - from);
      ASSERT_EQ(reading.bytes, content(1, from, size)) << from << " " << limit;
      ASSERT_EQ(reading.next.front().next, from + size);
    }
  EXPECT_FALSE(journal_->read(2, 0, 1)) << "an unknown stream";
}

TEST_F(JournalTest, LargeRecordsAreWholeAndInOrder) {
  max_ = 64U << 20U;
  segment_ = 4U << 20U;
  reopen();
  add(batch_, 1, 0, 5'000'000);  // split into entries
  add(batch_, 1, 5'000'000, 1);
  append();
  expect_whole(*journal_, 1, 5'000'001);
  reopen();
  expect_whole(*journal_, 1, 5'000'001);
}

TEST_F(JournalTest, GapsAreWhereTheyAreAndOfTheirLength) {
  add(batch_, 1, 10, 10);  // the first ten are lost
  append();
  auto seen = read_all(*journal_, 1);
  ASSERT_EQ(seen.gaps.size(), 1U);
  EXPECT_TRUE(seen.gaps[0].may_come) << "what was overtaken may still come";
  EXPECT_EQ(seen.end, 0U);
  add(batch_, 1, 50, 10);
  append();
  add(batch_, 2, 0, 1);
  append();
  batch_.add(EndEntry{1, 100, 9, {70, 0, 0, 0}});
  append();
  for (int start = 0; start < 2; ++start) {
    seen = read_all(*journal_, 1);
    EXPECT_FALSE(seen.wrong);
    EXPECT_EQ(seen.bytes, 20U);
    EXPECT_TRUE(seen.ended);
    ASSERT_EQ(seen.gaps.size(), 3U);
    const std::array<std::pair<std::uint64_t, std::uint64_t>, 3> gaps{{{0, 10}, {20, 30}, {60, 40}}};
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      EXPECT_EQ(seen.gaps[i].gap, MissingCause::kUnknown);
      EXPECT_FALSE(seen.gaps[i].may_come);
      EXPECT_EQ(seen.gaps[i].offset, gaps[i].first);
      EXPECT_EQ(seen.gaps[i].length, gaps[i].second);
    }
    const auto stream = journal_->stream(1).value();
    EXPECT_EQ(stream.sums.missing(), 80U);
    EXPECT_EQ(stream.sums.captured, 20U);
    EXPECT_EQ(stream.sums.lost[FTAP_LOSS_RING_FULL], 70U);
    reopen();
  }
}

TEST_F(JournalTest, OvertakenBytesFillTheirGapAndNothingIsDouble) {
  add(batch_, 1, 100, 50);
  append();
  add(batch_, 1, 0, 100);  // it was overtaken
  append();
  add(batch_, 1, 50, 120);  // 100 of these are there
  add(batch_, 1, 0, 170);   // all of it
  append();
  for (int start = 0; start < 2; ++start) {
    expect_whole(*journal_, 1, 170);
    EXPECT_EQ(journal_->stream(1)->sums.captured, 170U);
    EXPECT_EQ(journal_->stream(1)->held, 170U);
    reopen();
  }
}

TEST_F(JournalTest, StreamsMergeInTheOrderOfCapture) {
  std::string expected;
  std::array<std::uint64_t, 3> at{};
  for (unsigned i = 0; i < 500; ++i) {
    const StreamNo stream = 1 + (i * i / 3) % 2;
    const std::uint64_t size = 1 + i % 7;
    expected += content(stream, at[stream], size);
    add(batch_, stream, at[stream], size);
    at[stream] += size;
    if (i % 11 == 0) append();
  }
  append();
  for (const std::uint64_t limit : {1U, 5U, 100'000U}) {
    std::string got;
    std::vector<StreamCursor> cursors{{1, 0}, {2, 0}};
    while (true) {
      const auto reading = journal_->read(cursors, limit);
      if (reading.pieces.empty()) break;
      got += reading.bytes;
      cursors = reading.next;
    }
    EXPECT_EQ(got, expected) << limit;
  }
}

TEST_F(JournalTest, TheStreamsOfAFlowAreThoseWithItsWholeName) {
  const auto named = [](const char* flow) {
    StreamName name = name_of(1);
    name.flow = flow;
    return name;
  };
  batch_.add(StreamEntry{1, named("pod/a")});
  batch_.add(StreamEntry{2, named("pod/ab")});
  batch_.add(StreamEntry{3, named("pod/a")});
  add(batch_, 3, 0, 7);
  add(batch_, 4, 0, 7);  // nobody knows whose these are
  append();
  for (int start = 0; start < 2; ++start, reopen()) {
    std::vector<StreamNo> numbers;
    for (const StreamView& stream : journal_->streams_of("pod/a")) {
      numbers.push_back(stream.number);
      EXPECT_EQ(stream.sums, journal_->stream(stream.number)->sums);
    }
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, (std::vector<StreamNo>{1, 3}));
    EXPECT_TRUE(journal_->streams_of("pod").empty());
  }
}

TEST_F(JournalTest, OldSegmentsGoAndTakeNothingThatIsNeeded) {
  max_ = 16384;
  segment_ = 2048;
  reopen();
  batch_.add(StreamEntry{1, name_of(1)});
  add(batch_, 1, 0, 500);  // it is open and silent from now on
  batch_.add(StreamEntry{2, name_of(2)});
  add(batch_, 2, 0, 10);
  batch_.add(EndEntry{2, 10, 1, {}});
  batch_.set_position("an older build's ring", 77);
  append();
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    if (i == 0) batch_.add(StreamEntry{3, name_of(3)});
    add(batch_, 3, at, 100 + i % 50);
    at += 100 + i % 50;
    batch_.set_position("ring", i);
    append();
    ASSERT_LE(journal_->stats().held_bytes, max_);
    {  // if it is killed here, a start must find all of this
      const auto start = open_journal(dir_, max_, segment_);
      ASSERT_TRUE(start->stream(1)) << i;
      ASSERT_EQ(start->stream(1)->sums.captured, 500U) << i;
      ASSERT_EQ(start->position_of("an older build's ring"), 77U) << i;
    }
    if (i % 50 == 49) reopen();
    std::uint64_t on_disk = 0;
    for (const auto& path : segments()) on_disk += fs::file_size(path);
    ASSERT_EQ(on_disk, journal_->stats().held_bytes);
  }
  EXPECT_EQ(journal_->position_of("ring"), 399U);
  EXPECT_EQ(journal_->position_of("an older build's ring"), 77U);
  EXPECT_EQ(journal_->stream(2), std::nullopt) << "it ended and nothing of it is left";
  const auto silent = journal_->stream(1).value();
  EXPECT_EQ(*silent.name, name_of(1));
  EXPECT_EQ(silent.sums.captured, 500U);
  EXPECT_EQ(silent.sums.missing(), 0U) << "evicted bytes are not missing";
  EXPECT_EQ(silent.held, 0U);
  auto seen = read_all(*journal_, 1);
  ASSERT_EQ(seen.gaps.size(), 1U);
  EXPECT_EQ(seen.gaps[0].gap, MissingCause::kMadeRoom);
  EXPECT_EQ(seen.gaps[0].length, 500U);

  const auto busy = journal_->stream(3).value();
  EXPECT_EQ(*busy.name, name_of(3));
  EXPECT_EQ(busy.sums.captured, at);
  EXPECT_EQ(busy.sums.missing(), 0U);
  EXPECT_GT(busy.held, max_ / 3) << "no more goes than has to; a third is heads";
  seen = read_all(*journal_, 3);
  EXPECT_FALSE(seen.wrong);
  ASSERT_EQ(seen.gaps.size(), 1U);
  EXPECT_EQ(seen.gaps[0].gap, MissingCause::kMadeRoom);
  EXPECT_EQ(seen.bytes + seen.gaps[0].length, at);
}

TEST_F(JournalTest, GivesUpAsMuchAsIsAskedForAndNothingThatIsNeeded) {
  segment_ = 4096;
  reopen();
  batch_.add(StreamEntry{1, name_of(1)});
  add(batch_, 1, 0, 500);  // only the oldest segment says who this is
  batch_.set_position("ring", 1);
  append();
  for (std::uint64_t i = 0; i < 40; ++i) {
    if (i == 0) batch_.add(StreamEntry{2, name_of(2)});
    add(batch_, 2, i * 1000, 1000);
    batch_.set_position("ring", i + 2);
    append();
  }
  const std::uint64_t before = journal_->stats().held_bytes;
  EXPECT_EQ(journal_->give_up(0), 0U);
  const std::uint64_t removed = journal_->give_up(20'000);
  EXPECT_GE(removed, 20'000U);
  EXPECT_LT(removed, 20'000U + segment_);
  EXPECT_LE(journal_->stats().held_bytes, before - 20'000 + 500);
  EXPECT_GE(journal_->stats().evicted_bytes, removed) << "and it is counted";
  reopen();  // as if it was killed here
  ASSERT_TRUE(journal_->stream(1) && journal_->stream(1)->name);
  EXPECT_EQ(*journal_->stream(1)->name, name_of(1));
  EXPECT_EQ(journal_->stream(1)->sums.captured, 500U);
  EXPECT_EQ(journal_->stream(2)->sums.captured, 40'000U);
  EXPECT_EQ(journal_->position_of("ring"), 41U);
  EXPECT_LT(journal_->give_up(std::uint64_t{1} << 40U), before) << "the last one stays";
  EXPECT_EQ(journal_->position_of("ring"), 41U);
}

TEST_F(JournalTest, ShortLivedStreamsAreForgottenWithTheirSegments) {
  max_ = 2U << 20U;
  segment_ = 128U << 10U;
  reopen();
  constexpr StreamNo kStreams = 200'000;
  std::uint64_t most_streams = 0;
  std::uint64_t most_memory = 0;
  for (StreamNo stream = 1; stream <= kStreams; ++stream) {
    batch_.add(StreamEntry{stream, name_of(stream)});
    add(batch_, stream, 0, 60);
    batch_.add(EndEntry{stream, 60, 1, {}});
    if (stream % 100 != 0) continue;
    append();
    if (stream % 5000 != 0) continue;
    const auto stats = journal_->stats();
    most_streams = std::max(most_streams, stats.streams);
    most_memory = std::max(most_memory, stats.index_memory);
  }
  EXPECT_LT(most_streams, max_ / 200) << "no more than there is room for";
  EXPECT_LT(most_memory, 3 * max_);
  expect_whole(*journal_, kStreams, 60);
  EXPECT_EQ(journal_->stream(1), std::nullopt);
  const auto before = journal_->stats();
  reopen();
  EXPECT_EQ(journal_->stats().streams, before.streams);
  expect_whole(*journal_, kStreams, 60);
}

TEST_F(JournalTest, AForgottenStreamHoldsUpNoOther) {
  max_ = 16384;
  segment_ = 2048;
  reopen();
  add(batch_, 1, 0, 10);
  add(batch_, 2, 0, 50);
  batch_.add(EndEntry{2, 50, 1, {}});
  append();
  std::vector<StreamCursor> cursors{{1, 0}, {2, 0}};
  cursors = journal_->read(cursors, 20).next;
  ASSERT_EQ(cursors[0].next + cursors[1].next, 20U) << "the reader is in the middle of the second";
  const std::uint64_t at_second = cursors[1].next;
  std::uint64_t end = 10;
  std::uint64_t seen = cursors[0].next;
  for (unsigned i = 0; i < 300; ++i) {
    add(batch_, 1, end, 100);
    end += 100;
    append();
    if (journal_->stream(2)) continue;  // the first reading is after stream 2 has gone
    while (true) {
      const auto reading = journal_->read(cursors, 1000);
      EXPECT_FALSE(reading.ended);
      if (reading.pieces.empty()) break;
      for (const Piece& piece : reading.pieces) {
        ASSERT_EQ(piece.stream, 1U);
        ASSERT_EQ(piece.offset, seen);
        if (!piece.gap) {
          ASSERT_EQ(reading.text(piece), content(1, piece.offset, piece.length));
        }
        seen += piece.length;
      }
      cursors = reading.next;
    }
    ASSERT_EQ(seen, end);
  }
  EXPECT_EQ(seen, end) << "the second was forgotten";
  EXPECT_EQ(cursors[1].next, at_second);
  batch_.add(EndEntry{1, end, 1, {}});
  append();
  EXPECT_TRUE(journal_->read(cursors, 1000).ended);
  const std::array unknown{StreamCursor{2, at_second}};
  EXPECT_TRUE(journal_->read(unknown, 1000).ended);
  EXPECT_FALSE(journal_->read(2, at_second, 1000)) << "one that is asked for by its number has to be there";
}

TEST_F(JournalTest, NoMoreEndedStreamsAreKeptThanTold) {
  journal_ = Journal::open({dir_, max_, segment_, 50}).value();
  for (StreamNo stream = 1; stream <= 1000; ++stream) {
    add(batch_, stream, 0, 5);
    batch_.add(EndEntry{stream, 5, 1, {}});
    append();
    ASSERT_LE(journal_->stats().streams, 103U) << "one segment's more at most";
  }
  expect_whole(*journal_, 1000, 5);
}

// There may be many short ones in little room. What the taker does not have yet stays as long as there are not too many.
TEST_F(JournalTest, OfEndedStreamsThatWereNotTakenTwiceAsManyAreKept) {
  journal_ = Journal::open({dir_, max_, segment_, 50}).value();
  journal_->taken({});
  StreamNo stream = 0;
  const auto end = [&](StreamNo to) {
    while (stream < to) {
      add(batch_, ++stream, 0, 5);
      batch_.add(EndEntry{stream, 5, 1, {}});
      append();
    }
  };
  end(100);
  EXPECT_EQ(journal_->stats().evicted_segments, 0U);
  EXPECT_EQ(journal_->stats().streams, 100U);
  end(400);
  EXPECT_LE(journal_->stats().streams, 205U);
  const JournalPlace behind{1'000, 0};
  journal_->taken(behind);
  end(500);
  EXPECT_LE(journal_->stats().streams, 103U);
}

TEST_F(JournalTest, ATornEndIsCutOffAndCounted) {
  add(batch_, 1, 0, 100);
  append();
  const auto size = fs::file_size(segments().back());
  add(batch_, 1, 100, 100);
  append();
  fs::resize_file(segments().back(), size + 50);
  reopen();
  EXPECT_EQ(journal_->replayed().torn_bytes, 50U);
  EXPECT_EQ(journal_->replayed().said.size(), 1U);
  EXPECT_EQ(fs::file_size(segments().back()), size);
  add(batch_, 1, 100, 7);
  append();
  EXPECT_EQ(segments().size(), 1U) << "it is gone on with";
  reopen();
  expect_whole(*journal_, 1, 107);
}

TEST_F(JournalTest, ABadBatchInAnOlderSegmentCostsTheRestOfThatSegment) {
  max_ = 32768;
  segment_ = 1024;
  reopen();
  for (std::uint64_t at = 0; at < 4000; at += 100) {
    add(batch_, 1, at, 100);
    append();
  }
  ASSERT_GE(segments().size(), 4U);
  {
    std::fstream file(segments()[1], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(500);
    file.put('!');
  }
  reopen();
  EXPECT_EQ(journal_->replayed().damaged_segments, 1U);
  EXPECT_EQ(journal_->stream(1)->sums.captured, 4000U) << "the next segment tells the sums";
  const auto seen = read_all(*journal_, 1);
  EXPECT_FALSE(seen.wrong);
  ASSERT_EQ(seen.gaps.size(), 1U);
  EXPECT_LT(seen.gaps[0].length, 1000U);
  EXPECT_EQ(seen.end, 4000U);
}

TEST_F(JournalTest, SegmentsOfAnotherVersionAreSetAsideAndGoFirst) {
  max_ = 8192;
  segment_ = 1024;
  reopen();
  add(batch_, 1, 0, 100);
  batch_.set_position("ring", 5);
  append();
  {
    std::fstream file(segments()[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.put(99);
  }
  reopen();
  EXPECT_EQ(journal_->replayed().other_versions, 1U);
  EXPECT_EQ(journal_->position_of("ring"), std::nullopt);
  EXPECT_EQ(journal_->streams().size(), 0U);
  ASSERT_EQ(segments().size(), 1U);
  EXPECT_EQ(segments()[0].extension(), ".aside");
  for (std::uint64_t at = 0; at < 8000; at += 100) {
    add(batch_, 1, at, 100);
    append();
  }
  for (const auto& path : segments()) EXPECT_EQ(path.extension(), ".seg");
  reopen();
  EXPECT_EQ(journal_->stream(1)->sums.captured, 8000U);
}

TEST_F(JournalTest, OptionsThatMakeNoSenseAreErrors) {
  EXPECT_FALSE(Journal::open({dir_, 1U << 20U, 1, 10}));
  EXPECT_FALSE(Journal::open({dir_, 1U << 16U, 1U << 15U, 10}));
  EXPECT_FALSE(Journal::open({dir_, 1ULL << 40U, 1ULL << 33U, 10}));
}

}  // namespace
}  // namespace flowtap::flow
