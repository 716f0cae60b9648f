// A process that appends flat out is killed again and again. The ring is a function of the position, and only its
// committed position outlives the process, as with a pinned ring.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <random>

#include "tests/unit/stream/journal/drained.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"

namespace flowtap::flow {
namespace {

constexpr StreamNo kStreams = 3;

std::uint64_t size_of(StreamNo stream) {
  return 20 + 37 * stream;
}

/// Record n is the (n / kStreams)th of stream 1 + n % kStreams. There is no end to them.
class EndlessSource final : public RecordSource {
 public:
  explicit EndlessSource(std::atomic<RingPosition>& committed) : committed_(committed) {}

  [[nodiscard]] std::string ring_id() const override { return "endless"; }
  [[nodiscard]] RingPosition position() const override { return committed_.load(); }
  void commit(RingPosition position) override {
    if (position > committed_.load()) committed_.store(position);
  }
  [[nodiscard]] bool wait(std::chrono::milliseconds /*longest*/) override { return true; }
  void interrupt() override {}

  [[nodiscard]] Result<RingPosition> drain(
      std::size_t limit, const std::function<void(std::span<const std::byte>)>& take) override {
    RingPosition at = position();
    std::vector<std::byte> raw;
    for (std::size_t given = 0; given < limit; ++at) {
      const StreamNo stream = 1 + at % kStreams;
      const std::string text = content(stream, at / kStreams * size_of(stream), size_of(stream));
      raw.clear();
      render_record({1, Bytes{stream, at / kStreams * size_of(stream), 0, as_bytes(text)}}, raw);
      take(raw);
      given += raw.size();
    }
    return at;
  }

 private:
  std::atomic<RingPosition>& committed_;
};

/// Bytes of a stream in the records before `position`.
std::uint64_t bytes_before(StreamNo stream, RingPosition position) {
  return (position + kStreams - stream) / kStreams * size_of(stream);
}

constexpr std::uint64_t kMax = 256U << 10U;
constexpr std::uint64_t kSegment = 32U << 10U;

/// Does what the service does, until it is killed.
[[noreturn]] void append_for_ever(const std::string& dir, std::atomic<RingPosition>& committed,
                                  std::size_t limit) {
  const auto journal = open_journal(dir, kMax, kSegment);
  EndlessSource source(committed);
  skip_what_is_safe(source, *journal);
  Batch batch;
  while (true) {
    drain_into(batch, source, limit);
    if (!journal->append(batch)) std::_Exit(1);
    source.commit(batch.position()->position);
  }
}

TEST(JournalKill, FiftyTimesNothingIsMissingAndNothingDouble) {
  const TmpfsDir temp;
  const std::string dir = temp / "journal";
  void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& committed = *new (shared) std::atomic<RingPosition>(0);
  std::mt19937 random(7);
  const auto pick = [&random](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(random);
  };
  unsigned torn = 0;
  unsigned ahead = 0;
  for (int round = 0; round < 50; ++round) {
    const RingPosition goal = committed + 1 + pick(5000);
    const std::size_t limit = std::size_t{1} << (6 + pick(10));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) append_for_ever(dir, committed, limit);
    while (committed < goal && ::waitpid(child, nullptr, WNOHANG) == 0) {
    }
    for (unsigned i = pick(100'000); i > 0; --i) static_cast<void>(committed.load());  // anywhere in its loop
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child) << "it ended by itself";
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    const auto journal = open_journal(dir, kMax, kSegment);
    torn += journal->replayed().torn_bytes > 0 ? 1 : 0;
    const RingPosition safe = journal->position_of("endless").value();
    ASSERT_GE(safe, committed) << "what was freed in the ring is in the journal";
    ahead += safe > committed ? 1 : 0;
    ASSERT_EQ(journal->replayed().damaged_segments, 0U);
    for (StreamNo stream = 1; stream <= kStreams; ++stream) {
      const auto view = journal->stream(stream).value();
      ASSERT_EQ(view.sums.captured, bytes_before(stream, safe)) << "round " << round;
      ASSERT_EQ(view.sums.missing(), 0U);
      const Seen seen = read_all(*journal, stream, 1U << 16U);
      ASSERT_FALSE(seen.wrong) << "round " << round;
      ASSERT_EQ(seen.end, bytes_before(stream, safe));
      ASSERT_EQ(seen.bytes, view.held);
      ASSERT_LE(seen.gaps.size(), 1U);
      for (const Piece& gap : seen.gaps) ASSERT_EQ(gap.gap, MissingCause::kMadeRoom);
    }
  }
  std::cout << "torn ends " << torn << ", journal ahead of the ring " << ahead << " of 50\n";
  ::munmap(shared, 4096);
}

}  // namespace
}  // namespace flowtap::flow
