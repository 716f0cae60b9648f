// A service that is killed at any moment: of a stream that is written all the while nothing is missing, and nothing is
// there twice.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/bpf/logtap/takeover/logtap_takeover.hpp"

namespace flowtap {
namespace {

using LogTapTakeoverOfEach = test::PinnedTapOfEach;

// A stand-in for the journal: it appends batches, each with the ring's position behind it.
struct BatchHead {
  flow::RingPosition position = 0;
  std::uint64_t size = 0;
};

class BatchFile {
 public:
  explicit BatchFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_TRUE(file_.valid());
    // Whatever a kill has cut off does not count.
    ::ftruncate(file_.get(), static_cast<off_t>(read([](std::span<const std::byte>) {})));
    ::lseek(file_.get(), 0, SEEK_END);
  }

  [[nodiscard]] flow::RingPosition position() const { return position_; }

  void append(flow::RingPosition position, const std::string& records) {
    const BatchHead head{position, records.size()};
    std::string batch(reinterpret_cast<const char*>(&head), sizeof(head));
    batch += records;
    test::write_all(file_.get(), batch);
  }

  // Returns the length of the complete part.
  std::uint64_t read(const std::function<void(std::span<const std::byte>)>& take) {
    struct stat st{};
    EXPECT_EQ(::fstat(file_.get(), &st), 0);
    std::string all(static_cast<std::size_t>(st.st_size), '\0');
    EXPECT_EQ(::pread(file_.get(), all.data(), all.size(), 0), st.st_size);
    std::size_t at = 0;
    for (BatchHead head; at + sizeof(head) <= all.size(); at += sizeof(head) + head.size) {
      std::memcpy(&head, all.data() + at, sizeof(head));
      if (head.size > all.size() - at - sizeof(head)) break;
      position_ = head.position;
      for (std::size_t i = 0; i < head.size;) {
        std::uint32_t size = 0;
        const char* record = all.data() + at + sizeof(head) + i;
        std::memcpy(&size, record, sizeof(size));
        take({reinterpret_cast<const std::byte*>(record + sizeof(size)), size});
        i += sizeof(size) + size;
      }
    }
    return at;
  }

 private:
  Fd file_;
  flow::RingPosition position_ = 0;
};

// The service: takes over, skips what the journal has, then drains for ever; ends at a stream's END.
void serve(const kernel::LogLive& live, const std::string& journal) {
  auto ring = live.ring();
  auto streams = live.streams();
  if (!ring || !streams) ::_exit(2);
  BatchFile batches(journal);
  if (batches.position() != 0) (*ring)->commit(batches.position());
  for (bool ended = false; !ended;) {
    std::string records;
    const auto end = (*ring)->drain(64U << 10U, [&](std::span<const std::byte> raw) {
      const auto size = static_cast<std::uint32_t>(raw.size());
      records.append(reinterpret_cast<const char*>(&size), sizeof(size));
      records.append(reinterpret_cast<const char*>(raw.data()), raw.size());
      const auto record = flow::parse_record(raw);
      ended = ended || (record && std::holds_alternative<flow::End>(record->what));
    });
    if (!end) ::_exit(3);
    if (*end == (*ring)->position()) {
      static_cast<void>((*ring)->wait(std::chrono::milliseconds(1)));
      continue;
    }
    batches.append(*end, records);
    (*ring)->commit(*end);
    streams->beat();
  }
}

pid_t start_service(const kernel::LogOptions& options, const std::string& journal) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const auto live = kernel::start_log_tap(options);
  if (!live || !live->taken_over()) ::_exit(1);
  serve(*live, journal);
  ::_exit(0);
}

TEST_P(LogTapTakeoverOfEach, KilledInTheMiddleOfAHundredThousandLines) {
  const std::string journal = root_ + "/journal";
  const std::string text = test::lines(100'000);
  test::Pipe pipe;
  flow::StreamNo stream = 0;
  {
    const auto live = start();
    EXPECT_FALSE(live.taken_over());
    auto streams = live.streams();
    ASSERT_TRUE(streams);
    const auto tapped = streams->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE));
    ASSERT_TRUE(tapped);
    stream = *tapped;
  }  // from here on only the pins hold it

  // Ten steps. In each a tenth is written and read, and the service is killed at any moment.
  constexpr std::size_t kSteps = 10;
  std::size_t at = 0;
  std::string read;
  for (std::size_t step = 0; step < kSteps; ++step) {
    const std::size_t until =
        step + 1 == kSteps ? text.size() : text.find('\n', text.size() * (step + 1) / kSteps) + 1;
    const pid_t service = start_service(options_, journal);
    std::thread writer([&] { test::write_lines(pipe.in.get(), text.substr(at, until - at)); });
    std::string buffer(8192, '\0');
    while (read.size() < until) {
      const ssize_t n = ::read(pipe.out.get(), buffer.data(), std::min(buffer.size(), until - read.size()));
      ASSERT_GT(n, 0);
      read.append(buffer, 0, static_cast<std::size_t>(n));
      // The kill comes somewhere in the step, each time at another place.
      if (read.size() > at + (until - at) * (step + 1) / (kSteps + 1)) ::kill(service, SIGKILL);
    }
    writer.join();
    ::kill(service, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(service, &status, 0), service);
    EXPECT_TRUE(WIFSIGNALED(status)) << "exit status " << WEXITSTATUS(status);
    at = until;
  }
  pipe.in.reset();
  char byte = 0;
  EXPECT_EQ(::read(pipe.out.get(), &byte, 1), 0);
  ASSERT_TRUE(read == text) << "the test itself";

  const pid_t service = start_service(options_, journal);
  int status = 0;
  ASSERT_EQ(::waitpid(service, &status, 0), service);
  ASSERT_EQ(status, 0);
  test::Captured captured;
  BatchFile(journal).read([&](std::span<const std::byte> raw) { captured.add(raw); });
  const auto& got = captured.of(stream);
  if (kernel::count_misses(start().program_stats(false)).value().unseen != 0) {
    EXPECT_TRUE(test::may_miss() || GetParam() == kernel::LogBackend::kFunctions);
    EXPECT_EQ(got.missing(got.captured()), 0U) << "what was seen is there, and once";
    if (got.captured() != text.size()) test::expect_most("over kills", got.captured(), text.size());
    EXPECT_TRUE(got.found_in(text));
    return;
  }
  EXPECT_TRUE(got.whole() == text) << got.captured() << " of " << text.size();
  ASSERT_EQ(got.ends.size(), 1U);
  EXPECT_EQ(got.ends[0].passed, text.size());
}

FLOWTAP_EACH_BACKEND(LogTapTakeoverOfEach);

}  // namespace
}  // namespace flowtap
