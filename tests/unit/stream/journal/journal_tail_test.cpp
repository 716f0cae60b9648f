// Whoever takes all of a journal gets each entry once, in the order of the appends.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "tests/support/files/temp_dir.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"

namespace flowtap::flow {
namespace {

struct Taken {
  std::map<StreamNo, std::uint64_t> next;
  std::map<StreamNo, int> ends;
  int evictions = 0;
  int errors = 0;
  bool wrong = false;
  JournalPlace place;
};

// Takes until there is no more now.
void take(const Journal& journal, Taken& taken, std::size_t limit = 4096) {
  while (true) {
    auto tail = journal.tail(taken.place, limit);
    if (!tail) {
      ++taken.errors;
      taken.place = Journal::skip(taken.place);
      continue;
    }
    EXPECT_TRUE(tail->next >= taken.place);
    taken.place = tail->next;
    taken.evictions += tail->evicted ? 1 : 0;
    if (tail->end) return;
    EntryWalk walk(tail->entries);
    while (const auto view = walk.next()) {
      if (const auto bytes = view->kind == EntryKind::kBytes ? bytes_entry(*view) : std::nullopt) {
        std::uint64_t& next = taken.next[bytes->stream];
        if (tail->evicted || taken.evictions > 0 || taken.errors > 0) next = std::max(next, bytes->offset);
        if (bytes->offset != next) taken.wrong = true;
        next = bytes->offset + bytes->bytes.size();
        const std::string_view text(reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size());
        if (text != content(bytes->stream, bytes->offset, bytes->bytes.size())) taken.wrong = true;
      }
      if (view->kind == EntryKind::kEnd) ++taken.ends[end_entry(*view)->stream];
    }
  }
}

// Appends batches of some streams' content. Returns how much of each there is then.
std::map<StreamNo, std::uint64_t> fill(Journal& journal, std::mt19937& random, int batches,
                                       std::map<StreamNo, std::uint64_t> written = {},
                                       const std::function<void()>& each = {}) {
  for (int i = 0; i < batches; ++i) {
    Batch batch;
    for (StreamNo stream = 1; stream <= 3; ++stream) {
      const auto size = std::uniform_int_distribution<std::uint64_t>(1, 3000)(random);
      add(batch, stream, written[stream], size);
      written[stream] += size;
    }
    EXPECT_TRUE(journal.append(batch));
    if (each) each();
  }
  return written;
}

// A drain of the ring goes into it as long as it says that there is room, and nothing is lost to a taker that stands still.
TEST(JournalTail, WhatItSaysThatItKeepsForTheTakerItKeeps) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  for (const auto& [max, segment] : {std::pair{48 * kMiB, 4 * kMiB}, {12 * kMiB, kMiB}, {4 * kMiB, kMiB}}) {
    SCOPED_TRACE(max);
    const test::TempDir dir;
    const auto journal = open_journal(dir / "j", max, segment);
    Taken taken;
    std::uint64_t written = 0;
    const auto drain = [&] {
      Batch batch;
      for (std::uint64_t n = 0; n < kMiB; n += kMiB / 32, written += kMiB / 32) {
        const std::string text(kMiB / 32, 'x');
        batch.add(BytesEntry{1, written, 1, 0, as_bytes(text)});
      }
      ASSERT_TRUE(journal->append(batch));
    };
    for (int phase = 0; phase < 7; ++phase) {  // each begins elsewhere in a segment
      for (std::uint64_t n = 0; n < 2 * max / kMiB + 1; ++n) {
        drain();
        const auto end = journal->tail(taken.place, 2 * max).value();
        taken.place = end.next;
        journal->taken(taken.place);
      }
      const std::uint64_t begin = written;
      while (journal->untaken() <= journal->most_untaken()) drain();
      EXPECT_GE(written - begin, journal->most_untaken());
      std::uint64_t got = 0;
      for (auto tail = journal->tail(taken.place, kMiB); !tail->end;
           tail = journal->tail(taken.place, kMiB)) {
        EXPECT_FALSE(tail->evicted);
        EntryWalk walk(tail->entries);
        while (const auto view = walk.next())
          if (const auto bytes = view->kind == EntryKind::kBytes ? bytes_entry(*view) : std::nullopt)
            got += bytes->bytes.size();
        taken.place = tail->next;
        journal->taken(taken.place);
      }
      EXPECT_EQ(got, written - begin);
    }
    EXPECT_GE(journal->most_untaken(), max / 4);
  }
}

TEST(JournalTail, GivesAllThatIsAppendedWhileItIsRead) {
  const test::TempDir dir;
  const auto journal = open_journal(dir / "j");
  std::mt19937 random(11);
  Taken taken;
  int round = 0;
  const auto written = fill(*journal, random, 400, {}, [&] {
    if (++round % 7 == 0) take(*journal, taken, round % 2 == 0 ? 1 : 100'000);
  });
  take(*journal, taken);
  EXPECT_EQ(taken.next, written);
  EXPECT_FALSE(taken.wrong);
  EXPECT_EQ(taken.evictions, 0);
  EXPECT_GT(journal->stats().evicted_segments, 0U);
  Batch batch;
  batch.add(EndEntry{2, written.at(2), 1, {}});
  EXPECT_TRUE(journal->append(batch));
  take(*journal, taken);
  EXPECT_EQ(taken.ends, (std::map<StreamNo, int>{{2, 1}}));
}

TEST(JournalTail, GoesOnAfterAStartWhereItStood) {
  const test::TempDir dir;
  std::mt19937 random(12);
  Taken taken;
  std::map<StreamNo, std::uint64_t> written;
  for (int start = 0; start < 5; ++start) {
    const auto journal = open_journal(dir / "j");
    written = fill(*journal, random, 20, written);
    if (start != 2) take(*journal, taken);
  }
  EXPECT_EQ(taken.next, written);
  EXPECT_FALSE(taken.wrong);
  EXPECT_EQ(taken.evictions, 0);
}

TEST(JournalTail, SaysWhatHadToMakeRoom) {
  const test::TempDir dir;
  const auto journal = open_journal(dir / "j");
  std::mt19937 random(13);
  Taken taken;
  auto written = fill(*journal, random, 1);
  take(*journal, taken);
  written = fill(*journal, random, 600, written);
  take(*journal, taken);
  EXPECT_EQ(taken.evictions, 1);
  EXPECT_FALSE(taken.wrong) << "what is left is in order";
  EXPECT_EQ(taken.next, written);
}

TEST(JournalTail, ADamagedSegmentCostsItself) {
  const test::TempDir dir;
  const auto journal = open_journal(dir / "j");
  std::mt19937 random(14);
  const auto written = fill(*journal, random, 60);
  ASSERT_GE(journal->stats().segments, 3U);
  {
    std::fstream file(dir / "j/00000002.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20'000);
    file.write("damage", 6);
  }
  Taken taken;
  take(*journal, taken);
  EXPECT_EQ(taken.errors, 1);
  EXPECT_FALSE(taken.wrong);
  EXPECT_EQ(taken.next, written);
}

}  // namespace
}  // namespace flowtap::flow
