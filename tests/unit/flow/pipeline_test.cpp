// What streams say is what stands in their flows: whatever the pieces, their order, when the names come, and where it
// is killed.
#include "flow/pipeline.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <thread>

#include "tests/unit/flow/journal_kit.hpp"
#include "tests/unit/flow/store/store_kit.hpp"
#include "tests/unit/flow/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;
using Clock = Pipeline::Clock;
using Lines = std::vector<std::string>;

constexpr std::uint64_t kJournal = 1U << 20U;

class PipelineTest : public testing::Test {
 protected:
  PipelineTest() {
    std::filesystem::create_directory(dir_ / "flows");
    open();
  }

  void open() {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = open_journal(dir_ / "journal", kJournal);
    StoreOptions options;
    options.dir = dir_ / "flows";
    store_ = FlowStore::open(options);
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
    pipeline_->replay(1);
  }

  void bytes(StreamNo stream, std::uint64_t offset, std::string_view text,
             std::uint64_t time = 1'000'000'000) {
    batch_.add(BytesEntry{stream, offset, time, 0, as_bytes(text)});
  }
  void name(StreamNo stream, const std::string& flow, const std::string& output = "stdout",
            Capture capture = Capture::kTaken) {
    batch_.add(StreamEntry{stream, {.flow = flow, .output = output, .identity = {}, .capture = capture}});
  }
  void end(StreamNo stream, std::uint64_t passed) { batch_.add(EndEntry{stream, passed, 2'000'000'000, {}}); }
  void append() {
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
    take();
  }
  void take(Clock::time_point now = Clock::now()) {
    while (pipeline_->take(now, 1)) continue;
  }
  [[nodiscard]] Lines lines(const std::string& flow) const { return lines_of(log_of(*store_, flow)); }

  TmpfsDir dir_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FlowStore> store_;
  std::unique_ptr<Pipeline> pipeline_;
  Batch batch_;
};

TEST_F(PipelineTest, LinesAcrossWritesAndStreams) {
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  bytes(1, 0, "one\ntw"), bytes(2, 0, "err"), bytes(1, 6, "o\n\n"), bytes(2, 3, "or\nlast");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "", "2:error"}));
  EXPECT_TRUE(store_->summary("pod/a")->open);
  end(1, 9);
  append();
  EXPECT_TRUE(store_->summary("pod/a")->open);
  end(2, 10);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "", "2:error", "2:last~"}));
  EXPECT_FALSE(store_->summary("pod/a")->open);
}

TEST_F(PipelineTest, FirstBytesWaitForTheName) {
  bytes(1, 0, "one\n"), bytes(2, 0, "nobody's\n"), bytes(3, 0, "elsewhere\n");
  append();
  EXPECT_EQ(store_->stats().flows, 0U);
  bytes(1, 4, "two\n");
  name(1, "pod/a"), name(3, "pod/b", "stdout", Capture::kElsewhere);
  end(2, 9), end(3, 10);
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two"}));
  EXPECT_EQ(store_->stats().flows, 1U);
}

TEST_F(PipelineTest, ManyFirstBytesLoseTheOldest) {
  const std::string block(1023, 'x');
  std::uint64_t at = 0;
  for (int i = 0; i < 400; ++i, at += 1024) bytes(1, at, block + "\n");
  name(1, "pod/a");
  append();
  const Lines left = lines("pod/a");
  ASSERT_GT(left.size(), 200U);
  EXPECT_EQ(left.front(), "<" + std::to_string(pipeline_->stats().unnamed) + ">");
  EXPECT_EQ(left.size() - 1, (at - pipeline_->stats().unnamed) / 1024);
}

// However many streams have no name yet: what came first goes, whoever's it is.
TEST_F(PipelineTest, ManyStreamsFirstBytesLoseTheOldestOfAll) {
  constexpr StreamNo kMany = 300;
  constexpr std::uint64_t kFirst = std::uint64_t{60} << 10U;
  constexpr std::uint64_t kHeld = std::uint64_t{8} << 20U;
  const std::string line(kFirst - 1, 'x');
  for (StreamNo stream = 1; stream <= kMany; ++stream) bytes(stream, 0, line + "\n"), append();
  const std::uint64_t unnamed = pipeline_->stats().unnamed;
  EXPECT_LE(kMany * kFirst - unnamed, kHeld);
  EXPECT_GT(kMany * kFirst - unnamed, kHeld - 2 * kFirst) << "no more than must";
  for (StreamNo stream = 1; stream <= kMany; ++stream)
    name(stream, "pod/" + std::to_string(stream)), end(stream, kFirst), append();
  for (StreamNo stream = 1; stream <= kMany; ++stream)
    EXPECT_EQ(store_->summary("pod/" + std::to_string(stream))->missing,
              stream * kFirst <= unnamed ? kFirst : 0)
        << stream;
  // Those that have names by now leave room.
  bytes(kMany + 1, 0, "one\n"), append();
  EXPECT_EQ(pipeline_->stats().unnamed, unnamed);
}

TEST_F(PipelineTest, ANameMayBeCorrected) {
  name(1, "container/1234"), name(2, "container/1234", "stderr");
  bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
  append();
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  bytes(1, 4, "three\n"), bytes(2, 4, "four\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three", "2:four"}));
  EXPECT_FALSE(store_->find("container/1234"));
  open();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "2:two", "three", "2:four"}))
      << "the name that was said last counts";
  EXPECT_EQ(store_->stats().flows, 1U);
  bytes(1, 10, "five\n");
  append();
  EXPECT_EQ(lines("pod/a").back(), "five");
  end(1, 15), end(2, 9);
  append();
  EXPECT_FALSE(store_->summary("pod/a")->open);
}

// A container that is started again under the same id, and whose name is found out late.
TEST_F(PipelineTest, ANameMayBeCorrectedToThatOfAFlowThatIsThere) {
  name(1, "container/web");
  bytes(1, 0, "before\n");
  end(1, 7);
  append();
  name(2, "container/1234"), name(3, "container/1234", "stderr");
  bytes(2, 0, "one\n"), bytes(3, 0, "two\n");
  append();
  store_->flush({}, 1, true);
  name(2, "container/web"), name(3, "container/web", "stderr");
  bytes(2, 4, "three\n"), bytes(3, 4, "four\n");
  append();
  const Lines wanted{"before", "one", "2:two", "three", "2:four"};
  EXPECT_EQ(lines("container/web"), wanted);
  EXPECT_FALSE(store_->find("container/1234"));
  EXPECT_TRUE(store_->summary("container/web")->open);
  open();
  EXPECT_EQ(lines("container/web"), wanted);
  end(2, 10), end(3, 9);
  append();
  EXPECT_FALSE(store_->summary("container/web")->open);
  EXPECT_EQ(lines("container/web"), wanted);
}

TEST_F(PipelineTest, ANameThatComesAfterTheEndIsInTime) {
  bytes(1, 0, "last\nwords");
  end(1, 12);
  append();
  name(1, "pod/a");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"last", "words~", "<2>"}));
  EXPECT_FALSE(store_->summary("pod/a")->open);
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
  EXPECT_FALSE(store_->summary("pod/b")->open);
  std::filesystem::remove(dir_ / "journal");
  bytes(1, 14, "four\n");
  append();
  EXPECT_EQ(lines("pod/a"), (Lines{"one", "two", "three", "four"}));
}

// More flows than may wait in memory, and none of them can be written: they are read all the same.
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

// Its end had to make room in the journal before anybody took it.
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
  EXPECT_TRUE(store_->summary("pod/a")->open);
  take();
  EXPECT_FALSE(store_->summary("pod/a")->open);
  EXPECT_TRUE(store_->summary("pod/b")->open);
}

// What makes much of little keeps within the bounds.
TEST_F(PipelineTest, ManyShortLinesAtOnce) {
  name(1, "pod/a");
  const std::string newlines(60'000, '\n');
  for (std::uint64_t at = 0; at < 480'000; at += newlines.size()) bytes(1, at, newlines);
  ASSERT_TRUE(journal_->append(batch_));
  std::uint64_t most = 0;
  while (pipeline_->take(Clock::now(), 1)) most = std::max(most, store_->stats().buffered_bytes);
  constexpr std::uint64_t kLine = 60;  // of one newline, at most
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
  end(1, 30);
  append();
  EXPECT_EQ(lines("pod/a").back(), "<3>");
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
  // Nobody takes it.
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
  {
    StoreOptions options;
    options.dir = dir_ / "flows";
    options.flows = 1;
    pipeline_.reset(), store_.reset();
    store_ = FlowStore::open(options);
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal);
    pipeline_->replay(1);
  }
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

TEST_F(PipelineTest, AStartEndsWhatNobodyWritesTo) {
  name(1, "pod/a"), name(2, "pod/b");
  bytes(1, 0, "one\n"), bytes(2, 0, "two\n");
  append();
  store_->flush({}, 1, true);
  journal_.reset();
  std::filesystem::remove_all(dir_ / "journal");
  open();
  EXPECT_FALSE(store_->summary("pod/a")->open);
  EXPECT_EQ(lines("pod/a"), Lines{"one"});
}

// The content of a stream is a function of its number, so that whoever reads it knows what it is.
constexpr StreamNo kStreams = 8;
constexpr std::size_t kSize = 400'000;

const std::string& text_of(StreamNo stream) {
  static std::map<StreamNo, std::string> texts;
  std::string& text = texts[stream];
  for (std::size_t line = 0; text.size() < kSize; ++line) {
    text += std::to_string(stream) + ":" + std::to_string(line);
    text.append((line * 7919 + stream * 104'729) % (line % 50 == 0 ? 20'000 : 150), 'x');
    text += "\n";
  }
  text.resize(kSize);
  return text;
}

Lines lines_of_text(const std::string& text) {
  Lines lines;
  LineAssembler assembler;
  const auto take = [&](const LineView& line) {
    lines.push_back(std::string(line.text) + (line.full ? "" : "~"));
  };
  assembler.add(text, 1, take);
  assembler.finish(take);
  return lines;
}

// Streams 2n-1 and 2n are the two outputs of flow n.
std::string flow_of(StreamNo stream) {
  return "pod/" + std::to_string((stream + 1) / 2);
}

// Appends random pieces of all streams from where the journal has them, in nearly the right order.
void write_on(Journal& journal, std::mt19937& random, std::size_t most, const std::function<void()>& each) {
  std::map<StreamNo, std::uint64_t> at;
  for (StreamNo stream = 1; stream <= kStreams; ++stream) {
    const auto known = journal.stream(stream);
    at[stream] = known ? known->sums.passed : 0;
  }
  Batch batch;
  while (std::ranges::any_of(at, [](const auto& stream) { return stream.second < kSize; })) {
    std::vector<std::pair<StreamNo, std::pair<std::uint64_t, std::string>>> pieces;
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      for (int i = 0; i < 3 && at[stream] < kSize; ++i) {
        const std::string piece =
            text_of(stream).substr(at[stream], std::uniform_int_distribution<std::size_t>(1, most)(random));
        pieces.push_back({stream, {at[stream], piece}});
        at[stream] += piece.size();
      }
    }
    for (std::size_t i = 1; i < pieces.size(); ++i)
      if (random() % 4 == 0) std::swap(pieces[i - 1], pieces[i]);
    for (const auto& [stream, piece] : pieces)
      batch.add(BytesEntry{stream, piece.first, 5'000'000'000, 0, as_bytes(piece.second)});
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      const auto known = journal.stream(stream);
      // First a name that is not the last one.
      if (!known && random() % 3 == 0)
        batch.add(StreamEntry{stream,
                              {.flow = "container/" + flow_of(stream).substr(4),
                               .output = stream % 2 == 0 ? "stderr" : "stdout",
                               .identity = {}}});
      if (known && (!known->name || known->name->flow != flow_of(stream)) && random() % 3 == 0)
        batch.add(StreamEntry{
            stream,
            {.flow = flow_of(stream), .output = stream % 2 == 0 ? "stderr" : "stdout", .identity = {}}});
      if (at[stream] == kSize && known && known->name && known->name->flow == flow_of(stream) &&
          !known->sums.ended)
        batch.add(EndEntry{stream, kSize, 6'000'000'000, {}});
    }
    ASSERT_TRUE(journal.append(batch));
    batch.clear();
    each();
  }
  for (StreamNo stream = 1; stream <= kStreams; ++stream) {
    batch.add(StreamEntry{
        stream, {.flow = flow_of(stream), .output = stream % 2 == 0 ? "stderr" : "stdout", .identity = {}}});
    batch.add(EndEntry{stream, kSize, 6'000'000'000, {}});
  }
  ASSERT_TRUE(journal.append(batch));
  each();
}

void expect_all(const FlowStore& store, const std::string& dir) {
  for (StreamNo stream = 1; stream < kStreams; stream += 2) {
    std::map<std::string, Lines> by_output;
    const std::string all = log_of(store, flow_of(stream));
    for (std::string_view rest = all; !rest.empty();) {
      const std::size_t newline = rest.find('\n');
      const auto line = parse_cri_line(rest.substr(0, newline));
      ASSERT_TRUE(line);
      by_output[std::string(line->output)].push_back(std::string(line->missing ? "gap" : line->text) +
                                                     (line->full ? "" : "~"));
      rest.remove_prefix(newline + 1);
    }
    EXPECT_TRUE(by_output["stdout"] == lines_of_text(text_of(stream))) << stream;
    EXPECT_TRUE(by_output["stderr"] == lines_of_text(text_of(stream + 1))) << stream + 1;
    EXPECT_EQ(file_of(dir, flow_of(stream)), all);
    EXPECT_FALSE(store.summary(flow_of(stream))->open);
  }
}

TEST_F(PipelineTest, WhateverThePiecesAre) {
  for (const std::size_t most : {300U, 3000U, 10'000U}) {
    SCOPED_TRACE(most);
    std::mt19937 random(static_cast<unsigned>(most));
    write_on(*journal_, random, most, [&] {
      if (most > 3000 || random() % 2 == 0) take();
      if (random() % 5 == 0) store_->flush(Clock::now(), 1, random() % 2 == 0);
    });
    take();
    store_->flush({}, 1, true);
    expect_all(*store_, dir_ / "flows");
    open();
    expect_all(*store_, dir_ / "flows");
    journal_.reset();
    std::filesystem::remove_all(dir_ / "journal"), std::filesystem::remove_all(dir_ / "flows");
    std::filesystem::create_directory(dir_ / "flows");
    open();
  }
}

// A process that appends, takes and flushes is killed again and again, at any moment behind some steps.
TEST_F(PipelineTest, KilledAtAnyMomentNothingIsMissingAndNothingDouble) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  void* const shared =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& steps = *new (shared) std::atomic<int>(0);
  int kills = 0;
  for (bool done = false; !done; ++kills) {
    const int wanted = std::uniform_int_distribution(1, 30)(random);
    const auto longer = std::chrono::microseconds(std::uniform_int_distribution(0, 300)(random));
    const auto its_seed = static_cast<unsigned>(random());
    steps = 0;
    const pid_t child = ::fork();
    if (child == 0) {
      std::mt19937 its(its_seed);
      open();
      write_on(*journal_, its, 500, [&] {
        // So that whoever is to kill it comes in time.
        if (++steps > wanted) std::this_thread::sleep_for(100us);
        if (its() % 3 == 0) take();
        if (its() % 3 == 0) store_->flush(Clock::now(), 1, its() % 3 == 0);
      });
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    while (steps < wanted && !done) {
      done = ::waitpid(child, &status, WNOHANG) == child;
      std::this_thread::yield();
    }
    if (!done) {
      std::this_thread::sleep_for(longer);
      ::kill(child, SIGKILL);
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      done = WIFEXITED(status);
    }
    if (done) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
  }
  ::munmap(shared, sizeof(std::atomic<int>));
  EXPECT_GE(kills, 10);
  open();
  expect_all(*store_, dir_ / "flows");
}

}  // namespace
}  // namespace flowtap::flow
