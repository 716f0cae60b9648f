// kill -9 at every byte of an append, with random streams, batches, segments and evictions: after the next start nothing
// is missing and nothing is double.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "kernel/records/scripted_source.hpp"
#include "tests/unit/stream/journal/drained.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRing = "boot/ring";

/// What went in: readers are compared with this.
struct Truth {
  struct Stream {
    std::uint64_t passed = 0;
    std::uint64_t captured = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;  // offset, length; in order
    bool ended = false;
  };
  std::vector<Record> records;  // their bytes stand in texts
  std::vector<std::unique_ptr<std::string>> texts;
  std::map<StreamNo, Stream> streams;
  std::vector<std::pair<StreamNo, std::uint64_t>> tail;  // the last records: stream, end
};

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {
    segment_ = 1024 + pick(3000);
    max_ = segment_ * (4 + pick(4));
    evicts_ = pick(2) == 1;
    if (!evicts_) max_ = 1U << 20U;
    make_records(evicts_ ? 300 : 60);
  }

  void run();

 private:
  std::uint64_t pick(std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random_);
  }
  void make_records(std::size_t count);
  std::unique_ptr<ScriptedSource> ring(RingPosition committed) const;
  void check(const std::string& dir, RingPosition committed, const std::string& what);
  void compare(const Journal& journal, const std::string& what);

  std::mt19937 random_;
  std::uint64_t segment_ = 0;
  std::uint64_t max_ = 0;
  bool evicts_ = false;
  Truth truth_;
};

void World::make_records(std::size_t count) {
  const StreamNo streams = 1 + pick(4);
  for (std::size_t i = 0; i < count; ++i) {
    const StreamNo number = 1 + pick(streams);
    auto& stream = truth_.streams[number];
    if (stream.ended) continue;
    const auto size = 1 + (pick(8) == 0 ? pick(400) : pick(40));
    if (pick(12) == 0) {
      stream.lost.emplace_back(stream.passed, size);
      stream.passed += size;
      continue;
    }
    if (pick(60) == 0) {
      End end{number, stream.passed, {}};
      for (const auto& [offset, length] : stream.lost) end.lost[0] += length;
      truth_.records.push_back({i, end});
      stream.ended = true;
      continue;
    }
    const auto& text =
        truth_.texts.emplace_back(std::make_unique<std::string>(content(number, stream.passed, size)));
    truth_.records.push_back({i + 1, Bytes{number, stream.passed, 0, as_bytes(*text)}});
    stream.passed += size;
    stream.captured += size;
    truth_.tail.emplace_back(number, stream.passed);
  }
  // It is not known yet what is lost at the end of a stream that is open.
  for (auto& [number, stream] : truth_.streams)
    while (!stream.ended && !stream.lost.empty() &&
           stream.lost.back().first + stream.lost.back().second == stream.passed) {
      stream.passed = stream.lost.back().first;
      stream.lost.pop_back();
    }
}

std::unique_ptr<ScriptedSource> World::ring(RingPosition committed) const {
  auto source = std::make_unique<ScriptedSource>(std::string(kRing));
  for (const Record& record : truth_.records) source->push(record);
  source->commit(committed);
  return source;
}

/// A start over `dir` with the ring as the kill left it.
void World::check(const std::string& dir, RingPosition committed, const std::string& what) {
  const auto source = ring(committed);
  auto journal = Journal::open({dir, max_, segment_, 1000}).value();
  skip_what_is_safe(*source, *journal);
  ASSERT_GE(source->position(), committed);
  consume(*source, *journal, 1 + pick(600));
  Batch settled;  // gaps of the last batch could still be filled; behind another batch they are final
  settled.set_position(kRing, source->position());
  ASSERT_TRUE(journal->append(settled));
  compare(*journal, what);
  journal = Journal::open({dir, max_, segment_, 1000}).value();
  ASSERT_EQ(journal->replayed().torn_bytes, 0U) << what;
  compare(*journal, what + ", started again");
}

void World::compare(const Journal& journal, const std::string& what) {
  SCOPED_TRACE(what);
  for (const auto& [number, truth] : truth_.streams) {
    if (truth.captured == 0) continue;
    const auto view = journal.stream(number);
    if (!view) {
      ASSERT_TRUE(evicts_ && truth.ended) << "stream " << number << " was forgotten";
      continue;
    }
    ASSERT_EQ(view->sums.captured, truth.captured) << number;
    ASSERT_EQ(view->sums.passed, truth.passed) << number;
    ASSERT_EQ(view->sums.missing(), truth.passed - truth.captured) << number;
    ASSERT_EQ(view->sums.ended, truth.ended) << number;
    const Seen seen = read_all(journal, number, 700);
    ASSERT_FALSE(seen.wrong) << number;
    ASSERT_EQ(seen.bytes, view->held) << number;
    ASSERT_EQ(seen.ended, truth.ended) << number;
    std::uint64_t evicted_to = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;
    for (const Piece& gap : seen.gaps) {
      if (gap.gap == MissingCause::kMadeRoom) {
        ASSERT_TRUE(evicts_ && lost.empty() && gap.offset == 0);
        evicted_to = gap.length;
      } else {
        lost.emplace_back(gap.offset, gap.length);
      }
    }
    // Lost ranges that touch are one gap. Nothing is left of those before what was evicted.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (const auto& [offset, length] : truth.lost) {
      if (offset + length <= evicted_to) continue;
      if (!expected.empty() && expected.back().first + expected.back().second == offset)
        expected.back().second += length;
      else
        expected.emplace_back(std::max(offset, evicted_to), offset + length - std::max(offset, evicted_to));
    }
    ASSERT_EQ(lost, expected) << number;
  }
  // The newest are never evicted.
  for (std::size_t i = truth_.tail.size() - std::min<std::size_t>(truth_.tail.size(), 5);
       i < truth_.tail.size(); ++i) {
    const auto [number, end] = truth_.tail[i];
    const auto last = journal.read(number, end - 1, 1);
    ASSERT_TRUE(last) << number;
    ASSERT_EQ(last->bytes, content(number, end - 1, 1)) << number << " at " << end;
  }
}

/// Appends batches up to a random one, and then tries every state that a kill during the next one can leave.
void World::run() {
  const TmpfsDir temp;
  const std::string before = temp / "before";
  const auto source = ring(0);
  RingPosition committed = 0;
  Batch batch;
  {
    auto journal = Journal::open({before, max_, segment_, 1000}).value();
    for (std::size_t n = (evicts_ ? 10 : 2) + pick(evicts_ ? 40 : 10); n > 0; --n) {
      if (!drain_into(batch, *source, 1 + pick(500))) break;
      ASSERT_TRUE(journal->append(batch));
      source->commit(batch.position()->position);
    }
    committed = source->position();
    fs::create_directories(before);
    fs::copy(before, temp / "saved", fs::copy_options::recursive);
    drain_into(batch, *source, 1 + pick(500));
    ASSERT_TRUE(journal->append(batch));
  }
  // The file that the append wrote to, or that it made.
  fs::path written;
  for (const auto& entry : fs::directory_iterator(before)) written = std::max(written, entry.path());
  const std::uint64_t full = fs::file_size(written);
  const fs::path old = fs::path(temp / "saved") / written.filename();
  const std::uint64_t from = fs::exists(old) ? fs::file_size(old) : 0;
  const std::string crashed = temp / "crashed";
  for (std::uint64_t size = from; size <= full; ++size) {
    fs::remove_all(crashed);
    fs::copy(temp / "saved", crashed);
    fs::copy_file(written, fs::path(crashed) / written.filename(), fs::copy_options::overwrite_existing);
    fs::resize_file(fs::path(crashed) / written.filename(), size);
    check(crashed, committed, "killed at byte " + std::to_string(size) + " of " + std::to_string(full));
    if (::testing::Test::HasFatalFailure()) return;
  }
  check(before, committed, "killed between append and commit");
  if (::testing::Test::HasFatalFailure()) return;
}

class JournalCrash : public ::testing::TestWithParam<unsigned> {};

TEST_P(JournalCrash, AtEveryByteNothingIsMissingAndNothingDouble) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  World(GetParam()).run();
}

// Each seed is a test of its own, so that they run beside one another.
INSTANTIATE_TEST_SUITE_P(Seeds, JournalCrash, ::testing::Range(0U, 64U));

}  // namespace
}  // namespace flowtap::flow
