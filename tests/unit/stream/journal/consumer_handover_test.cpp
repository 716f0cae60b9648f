// A service that goes on behind one with another journal, or behind itself with a journal that was emptied or is an older copy: each
// byte is in one of the two journals, or the new one says that it is missing.
#include <algorithm>

#include "tests/unit/stream/journal/consumer_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

class ConsumerHandoverTest : public LogConsumerTest {
 protected:
  // As the programs do it: the slot first, then the ring.
  void write(StreamNo stream, const std::string& text) {
    StreamSlot& slot = slots_.slots.try_emplace(stream, slot_of(stream)).first->second;
    written_.push_back(text);
    source_.push({1, Bytes{stream, slot.passed, 0, bytes(written_.back())}});
    slot.passed += text.size();
  }
  void end(StreamNo stream) {
    slots_.slots.at(stream).ended = true;
    source_.push({2, End{stream, slots_.slots.at(stream).passed, {}}});
  }
  // Its container is gone, and nobody can tell any more whose it was.
  void forget_containers() { namer_.answers = {{}}; }

  // "<4>two\n": four bytes that passed elsewhere, and what was captured behind them.
  [[nodiscard]] std::string seen(StreamNo stream) const {
    const auto reading = journal_->read(stream, 0, 1U << 20U);
    if (!reading) return "not known";
    std::string all;
    for (const Piece& piece : reading->pieces) {
      if (!piece.gap)
        all += reading->text(piece);
      else
        all += (piece.gap == MissingCause::kElsewhere ? "<" : "?") + std::to_string(piece.length) + ">";
    }
    return all;
  }

  std::vector<std::string> written_;
};

TEST_F(ConsumerHandoverTest, WhatEndedInBetweenHasItsNameAndTheGap) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  write(1, "two\n");
  end(1);
  forget_containers();
  open("another");
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout") << "already when it begins";
  rounds();
  EXPECT_EQ(seen(1), "<4>two\n");
  EXPECT_EQ(journal_->stream(1)->sums.missing(), 4U);
  rounds_for(60ms);
  EXPECT_TRUE(slots_.names.empty()) << "a name goes with its slot";
}

// Whoever numbers the runs of containers has to know them before the next one is named.
TEST_F(ConsumerHandoverTest, TheNamesOfBeforeAreToldBeforeAnyIsAskedFor) {
  source_.push({1, enter_of(1, 2)});
  write(1, "one\n");
  write(2, "err\n");
  rounds();
  EXPECT_TRUE(namer_.learned.empty());
  source_.push({3, enter_of(3, 0, 8)});
  write(3, "new\n");
  namer_.asked = 0;
  open("another");
  EXPECT_EQ(namer_.learned, (std::vector<std::string>(2, "pod/a/b/c/d/0 in 7"))) << "kept in the kernel";
  rounds();
  EXPECT_GT(namer_.asked, 0U);
  namer_.learned.clear();
  namer_.asked = 0;
  open("another");
  EXPECT_EQ(namer_.learned, (std::vector<std::string>(3, "pod/a/b/c/d/0 in 7"))) << "in the journal";
}

TEST_F(ConsumerHandoverTest, ASilentStreamIsToldWithoutAnotherByte) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  open("another");
  rounds();
  EXPECT_EQ(seen(1), "") << "it may still be on its way into the ring";
  rounds_for(120ms);
  EXPECT_EQ(seen(1), "<4>");
  write(1, "two\n");
  rounds();
  EXPECT_EQ(seen(1), "<4>two\n");
}

TEST_F(ConsumerHandoverTest, AStreamWhoseNameIsNotKeptIsCountedOnce) {
  slots_.most_names = 1;
  source_.push({1, enter_of(1, 2)});
  write(1, "out\n");
  write(2, "err\n");
  rounds();
  EXPECT_EQ(consumer_->counts().unkept_names.no_room, 1U);
  source_.push({1, enter_of(1, 2)});
  rounds();
  EXPECT_EQ(consumer_->counts().unkept_names.no_room, 1U);
  EXPECT_EQ(consumer_->counts().unkept_names.too_long, 0U);
  slots_.most_names = SIZE_MAX;
  namer_.answers = {{NamingState::kNamed, "container/" + std::string(kMostKeptName, 'x'), "{}", true, 5}};
  source_.push({1, enter_of(3, 3, 8)});
  slots_.slots[3] = slot_of(3);
  rounds();
  EXPECT_EQ(consumer_->counts().unkept_names.too_long, 1U);
  EXPECT_EQ(consumer_->counts().unkept_names.no_room, 1U);
}

TEST_F(ConsumerHandoverTest, WhatEndsSilentlyIsToldAtItsEnd) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  open("another");
  end(1);
  rounds(1);
  EXPECT_TRUE(journal_->stream(1)->sums.ended);
  EXPECT_EQ(seen(1), "<4>");
}

// What is told of it stays told, also where all that stood around it has made room in the journal.
TEST_F(ConsumerHandoverTest, WhatIsElsewhereStaysSoWhenTheJournalMakesRoom) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  open("another");
  rounds_for(120ms);
  write(1, "two\n");
  rounds();
  EXPECT_EQ(seen(1), "<4>two\n");
  const std::string flood(60'000, 'x');
  for (std::size_t had = 0; had < 3 * journal_->max_bytes(); had += flood.size()) {
    write(9, flood);
    rounds(1);
  }
  EXPECT_EQ(seen(1), "<4>?4>") << "the rest has made room";
  open("another");
  EXPECT_EQ(seen(1), "<4>?4>") << "after a start, too";
  write(1, "three\n");
  rounds();
  EXPECT_EQ(seen(1), "<4>?4>three\n");
}

TEST_F(ConsumerHandoverTest, WhoComesBackIsToldWhatTheOtherTook) {
  source_.push({1, enter_of(1, 2)});
  write(1, "one\n");
  write(2, "err\n");
  rounds();
  open("another");
  write(1, "two\n");
  write(3, "new\n");
  source_.push({3, enter_of(3, 0, 8)});
  slots_.slots.at(3).cgroup = 8;
  rounds_for(120ms);
  write(1, "three\n");
  write(3, "newer\n");
  forget_containers();
  open();
  rounds_for(120ms);
  EXPECT_EQ(seen(1), "one\n<4>three\n");
  EXPECT_EQ(seen(2), "err\n") << "nothing was taken of it";
  EXPECT_EQ(seen(3), "<4>newer\n");
  EXPECT_EQ(flow_of(3), "pod/a/b/c/d/0 stdout");
}

// The name of the ring is in the journal, and what it lost is no other service's.
TEST_F(ConsumerHandoverTest, NothingIsElsewhereBehindTheSameJournal) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  slots_.slots.at(1).passed += 3;  // the ring was full
  write(1, "two\n");
  open();
  rounds_for(120ms);
  write(1, "three\n");  // so that nothing may come any more before "two"
  rounds();
  EXPECT_EQ(seen(1), "one\n?3>two\nthree\n");
  EXPECT_FALSE(was_drained_elsewhere(source_, *journal_));
}

// It was killed between the journal and the ring, so the other one takes these bytes, too.
TEST_F(ConsumerHandoverTest, WhatTheJournalHasAndTheRingStillHoldsIsNotMissing) {
  source_.push({1, enter_of(1, 0)});
  rounds();
  write(1, "one\n");
  Batch batch;
  batch.add(BytesEntry{1, 0, 1, 0, bytes("one\n")});
  batch.set_position(source_.ring_id(), source_.head());
  ASSERT_TRUE(journal_->append(batch));
  open("another");
  rounds_for(120ms);
  EXPECT_EQ(seen(1), "one\n");
  open();
  rounds_for(120ms);
  EXPECT_EQ(seen(1), "one\n") << "the journal was not behind";
}

TEST_F(ConsumerHandoverTest, WhatHasNoKeptNameIsAskedForAlsoWhenItHasEnded) {
  write(1, "one\n");
  slots_.slots.at(1).ended = true;
  slots_.slots[2] = slot_of(2);  // nothing was written there
  slots_.slots[2].ended = true;
  rounds_for(60ms);
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(flow_of(2), "none");
}

TEST_F(ConsumerHandoverTest, OfLabelsThatAreTooManyTheBriefOnesAreKept) {
  const std::string brief = "{\"cgroup\":7}";
  namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0", std::string(3000, 'i'), true, 5, brief}};
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  forget_containers();
  open("another");
  EXPECT_EQ(flow_of(1), "pod/a/b/c/d/0 stdout");
  EXPECT_EQ(journal_->stream(1)->name->identity, brief);
}

// Rows that nobody removes would fill the map, and then no name is kept.
TEST_F(ConsumerHandoverTest, ANameThatComesAfterItsSlotIsFreeIsNotKept) {
  source_.push({1, enter_of(1, 0)});  // no slot any more
  write(2, "two\n");
  source_.push({1, enter_of(2, 0)});
  rounds();
  EXPECT_FALSE(slots_.names.contains(1));
  EXPECT_TRUE(slots_.names.contains(2));
  slots_.names[9] = slots_.names[2];  // left by a service that was killed
  open();
  EXPECT_FALSE(slots_.names.contains(9));
  EXPECT_TRUE(slots_.names.contains(2));
}

// What the ring had no room for before the hand-over is not elsewhere.
TEST_F(ConsumerHandoverTest, AnEarlierGapIsNotElsewhere) {
  source_.push({1, enter_of(1, 0)});
  write(1, "one\n");
  rounds();
  slots_.slots.at(1).passed += 3;
  write(1, "two\n");
  rounds();
  open("another");
  write(1, "three\n");
  rounds_for(120ms);
  open();
  write(1, "four\n");
  rounds();
  write(1, "five\n");
  rounds();
  EXPECT_EQ(seen(1), "one\n?3>two\n<6>four\nfive\n");
}

TEST_F(ConsumerHandoverTest, ATapsNameIsNotKeptSinceItEndsWithItsService) {
  write(1, "one\n");
  slots_.slots.at(1).cgroup = 0;
  consumer_->name(1, {.flow = "proc/1-2", .output = "stdout", .identity = "{}"});
  rounds();
  open();
  EXPECT_TRUE(slots_.names.empty());
}

// A row that is no name of ours, or another stream's, names nothing.
TEST_F(ConsumerHandoverTest, WhatIsKeptIsChecked) {
  write(1, "one\n");
  write(2, "two\n");
  rounds();
  forget_containers();
  slots_.names[1] = {std::byte{4}, std::byte{0}, std::byte{9}};
  slots_.names[2].clear();
  put(slots_.names[2], StreamEntry{1, {.flow = "pod/x", .output = "stdout", .identity = "{}"}});
  open("another");
  EXPECT_EQ(flow_of(1), "none");
  EXPECT_EQ(flow_of(2), "none");
}

// Its file has what nobody captured, so it goes on where the other journal ended.
TEST_F(ConsumerHandoverTest, AFollowedFileGoesOnWhereItWas) {
  const auto follow = [this](std::uint64_t offset) {
    files_.add({{.stream = 1, .offset = offset, .position = offset, .step = 0},
                "file/log",
                std::make_unique<ScriptedFile>("one\ntwo\n")});
  };
  follow(0);
  write(1, "one\n");
  slots_.slots.at(1).cgroup = 0;
  rounds();
  open("another");
  EXPECT_EQ(flow_of(1), "file/log both");
  EXPECT_EQ(journal_->stream(1)->sums.passed, 4U) << "whoever follows it begins there";
  EXPECT_EQ(seen(1), "<4>");
}

}  // namespace
}  // namespace flowtap::flow
