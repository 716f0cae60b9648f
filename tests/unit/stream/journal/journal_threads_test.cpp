// One thread appends flat out; others read and follow. Readers never see a wrong byte, followers miss nothing.
#include <poll.h>

#include <atomic>
#include <thread>

#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

bool is_readable(int fd, int timeout_ms) {
  pollfd state{fd, POLLIN, 0};
  return ::poll(&state, 1, timeout_ms) == 1;
}

TEST(Follower, IsToldOnceUntilItTakes) {
  const auto follower = Follower::create({}).value();
  const StreamNo stream = 1;
  EXPECT_FALSE(is_readable(follower->fd(), 0));
  for (int i = 0; i < 3; ++i) follower->tell(std::span(&stream, 1));
  EXPECT_TRUE(is_readable(follower->fd(), 0));
  follower->taken();
  EXPECT_FALSE(is_readable(follower->fd(), 0));
  follower->tell(std::span(&stream, 1));
  EXPECT_TRUE(is_readable(follower->fd(), 0));
}

TEST(Follower, IsToldOfItsStreamsOnlyAndLeavesByLettingGo) {
  Followers followers;
  auto some = Follower::create({2, 3}).value();
  auto all = Follower::create({}).value();
  followers.add(some);
  followers.add(all);
  const std::array<StreamNo, 2> others{1, 4};
  followers.tell(others);
  EXPECT_FALSE(is_readable(some->fd(), 0));
  EXPECT_TRUE(is_readable(all->fd(), 0));
  const std::array<StreamNo, 2> with{1, 3};
  followers.tell(with);
  EXPECT_TRUE(is_readable(some->fd(), 0));
}

TEST(Follower, IsToldOfWhatJoinsItsFlow) {
  Followers followers;
  const auto follower = Follower::of_flow("f").value();
  followers.add(follower);
  const std::array<StreamNo, 2> streams{1, 2};
  const std::array<StreamEntry, 1> others{StreamEntry{1, {.flow = "g", .output = {}, .identity = {}}}};
  followers.tell(streams, others);
  EXPECT_FALSE(is_readable(follower->fd(), 0));
  EXPECT_FALSE(follower->take_joined());
  const std::array<StreamEntry, 1> its{StreamEntry{2, {.flow = "f", .output = {}, .identity = {}}}};
  followers.tell(streams, its);
  EXPECT_TRUE(is_readable(follower->fd(), 0));
  EXPECT_TRUE(follower->take_joined());
  EXPECT_FALSE(follower->take_joined());
  follower->taken();
  followers.tell(std::span(streams).first(1));
  EXPECT_FALSE(is_readable(follower->fd(), 0));
  followers.tell(std::span(streams).last(1));
  EXPECT_TRUE(is_readable(follower->fd(), 0));
}

TEST(Follower, WhoIsInNoHurryIsToldAndNotCounted) {
  Followers followers;
  auto hurried = Follower::create({}).value();
  const auto patient = Follower::create({}).value();
  followers.add(hurried);
  followers.add(patient, Followers::Hurry::kNo);
  EXPECT_EQ(followers.in_hurry(), 1U);
  const StreamNo stream = 1;
  followers.tell(std::span(&stream, 1));
  EXPECT_TRUE(is_readable(patient->fd(), 0));
  hurried.reset();
  EXPECT_EQ(followers.in_hurry(), 0U);
}

TEST(Follower, IsCalledOncePerAsking) {
  const auto follower = Follower::called({});
  const StreamNo stream = 1;
  const auto tell = [&] { follower->tell(std::span(&stream, 1)); };
  int calls = 0;
  const auto ask = [&] { follower->once([&calls] { ++calls; }); };
  ask();
  EXPECT_EQ(calls, 0);
  tell(), tell();
  EXPECT_EQ(calls, 1);
  ask();
  EXPECT_EQ(calls, 2) << "something came since the last call";
  ask();
  EXPECT_EQ(calls, 2);
  follower->forget();
  tell();
  EXPECT_EQ(calls, 2);
}

constexpr std::uint64_t kRecord = 50;
constexpr std::uint64_t kRecords = 6000;

/// Follows a stream to its end by its eventfd alone.
void follow(Journal& journal, StreamNo stream, std::atomic<int>& waiting, Seen& seen) {
  const auto follower = journal.follow({stream}).value();
  --waiting;
  while (is_readable(follower->fd(), 60'000)) {
    follower->taken();
    while (true) {
      const auto reading = journal.read(stream, seen.end, 1000).value();
      for (const Piece& piece : reading.pieces) {
        if (piece.gap) seen.gaps.push_back(piece);
        if (piece.offset != seen.end) seen.wrong = true;
        if (!piece.gap && reading.text(piece) != content(stream, piece.offset, piece.length))
          seen.wrong = true;
        if (!piece.gap) seen.bytes += piece.length;
        seen.end = piece.offset + piece.length;
      }
      seen.ended = reading.ended;
      if (seen.ended) return;
      if (reading.pieces.empty()) break;
    }
  }
}

void run(Journal& journal, bool evicts) {
  constexpr std::size_t kFollowers = 3;
  std::atomic<int> waiting = kFollowers;
  std::atomic<bool> done = false;
  std::array<Seen, kFollowers> seen;
  Batch batch;
  for (StreamNo stream = 1; stream <= 2; ++stream) batch.add(StreamEntry{stream, name_of(stream)});
  ASSERT_TRUE(journal.append(batch));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kFollowers; ++i)
      threads.emplace_back([&, i] { follow(journal, 1 + i % 2, waiting, seen[i]); });
    threads.emplace_back([&] {
      while (!done) {
        static_cast<void>(journal.stats());
        for (const auto& view : journal.streams()) EXPECT_LE(view.held, view.sums.captured);
        static_cast<void>(journal.position_of("ring"));
        const std::array<StreamCursor, 2> both{{{1, 0}, {2, 0}}};
        static_cast<void>(journal.read(both, 5000));
      }
    });
    while (waiting != 0) std::this_thread::yield();
    for (std::uint64_t n = 0; n < kRecords; ++n) {
      batch.clear();
      for (StreamNo stream = 1; stream <= 2; ++stream) {
        add(batch, stream, n * kRecord, kRecord);
        if (n + 1 == kRecords) batch.add(EndEntry{stream, kRecords * kRecord, 1, {}});
      }
      batch.set_position("ring", n);
      EXPECT_TRUE(journal.append(batch));
    }
    for (std::size_t i = 0; i < kFollowers; ++i) threads[i].join();
    done = true;
  }
  for (const Seen& one : seen) {
    EXPECT_FALSE(one.wrong);
    EXPECT_TRUE(one.ended);
    EXPECT_EQ(one.end, kRecords * kRecord);
    EXPECT_TRUE(evicts || one.gaps.empty());
    for (const Piece& gap : one.gaps) EXPECT_EQ(gap.gap, MissingCause::kMadeRoom);
  }
}

// Whoever takes streams that end forgets them, so "not known" must not mean "not known yet".
TEST(JournalThreads, WhatIsTakenIsKnown) {
  constexpr StreamNo kStreams = 20'000;
  const TmpfsDir temp;
  const auto journal = open_journal(temp / "journal", 16U << 20U, 8U << 10U);
  StreamNo taken = 0;
  StreamNo unknown = 0;
  const std::jthread appender([&] {
    Batch batch;
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      batch.clear();
      batch.add(StreamEntry{stream, name_of(stream)});
      EXPECT_TRUE(journal->append(batch));
    }
  });
  for (JournalPlace place; taken < kStreams;) {
    const auto tail = journal->tail(place, 64U << 10U).value();
    place = tail.next;
    EntryWalk walk(tail.entries);
    while (const auto view = walk.next()) {
      const auto entry = view->kind == EntryKind::kStream ? stream_entry(*view) : std::nullopt;
      if (!entry || entry->stream <= taken) continue;
      taken = entry->stream;
      unknown += journal->stream(taken) ? 0 : 1;
    }
  }
  EXPECT_EQ(unknown, 0U);
}

TEST(JournalThreads, FollowersGetEveryByte) {
  const TmpfsDir temp;
  run(*open_journal(temp / "journal", 16U << 20U, 64U << 10U), false);
}

TEST(JournalThreads, SegmentsThatGoMeanwhileAreGapsAndNeverWrongBytes) {
  const TmpfsDir temp;
  run(*open_journal(temp / "journal", 64U << 10U, 4U << 10U), true);
}

}  // namespace
}  // namespace flowtap::flow
