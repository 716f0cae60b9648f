// Capture goes on while the service is away: what is pinned is taken over, and of a stream that was written all the
// while nothing is missing and nothing is there twice.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sched.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/bpf/logtap_capture.hpp"
#include "tests/bpf/logtap_pinned.hpp"
#include "tests/bpf/logtap_text.hpp"

namespace flowtap {
namespace {

using LogTapTakeover = test::PinnedTap;

// At sys_exit: calls, exec, exit, fork, rmdir.
constexpr std::size_t kPrograms = 5;

class LogTapTakeoverOfEach : public test::PinnedTap,
                             public ::testing::WithParamInterface<kernel::LogBackend> {
 protected:
  void SetUp() override {
    test::PinnedTap::SetUp();
    options_.backend = GetParam();
    FLOWTAP_SKIP_IF_REFUSED(GetParam());
  }
};

// A stand-in for the journal: batches, each with the ring's position behind it, one append per batch.
struct BatchHead {
  flow::RingPosition position = 0;
  std::uint64_t size = 0;
};

class BatchFile {
 public:
  explicit BatchFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_TRUE(file_.valid());
    // What a kill has cut off is not there.
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

  // Returns the length of what is whole.
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

// Runs checks in a process of their own; true when none has failed. What they print is shown here.
bool holds_in_child(const std::function<void()>& checks) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    checks();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
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

  // Ten steps: in each a tenth is written and read, and the service is killed at any moment of it.
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
      // Somewhere in the step, another place each time.
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
  std::uint64_t missed = 0;
  for (const auto& program : start().program_stats(false)) missed += program ? program->recursion_misses : 0;
  if (missed != 0) {
    EXPECT_TRUE(test::may_miss() || GetParam() == kernel::LogBackend::kFunctions);
    EXPECT_EQ(got.missing(got.captured()), 0U) << "what was seen is there, and once";
    return;
  }
  EXPECT_TRUE(got.whole() == text) << got.captured() << " of " << text.size();
  ASSERT_EQ(got.ends.size(), 1U);
  EXPECT_EQ(got.ends[0].passed, text.size());
}

FLOWTAP_EACH_BACKEND(LogTapTakeoverOfEach);

TEST_F(LogTapTakeover, NobodyDrainsForTenMinutes) {
  const test::Pipe pipe;
  const auto live = start();
  auto streams = live.streams();
  auto ring = live.ring();
  ASSERT_TRUE(streams && ring);
  ASSERT_TRUE(streams->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE)));
  const auto pass = [&pipe](const std::string& text) {
    std::string buffer(text.size(), ' ');
    test::write_all(pipe.in.get(), text);
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
  };
  pass("heard");
  const auto backlog = (*ring)->backlog();
  EXPECT_GT(backlog, 0U);

  const Fd pinned(bpf_obj_get((options_.bpffs + "/flowtap/" + kernel::log_abi() + "/control").c_str()));
  auto control = kernel::MapView<ftap_log_control>::map(pinned.get(), 1);
  ASSERT_TRUE(control);
  control->elements()[0].heartbeat -= FTAP_LOG_QUIET_NS + 1;  // may wrap, as the programs' sum does
  pass("not heard");
  EXPECT_EQ((*ring)->backlog(), backlog) << "nothing is emitted";
  const auto slots = streams->sweep();
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].passed, 14U);
  EXPECT_EQ(slots[0].lost[FTAP_LOSS_QUIET], 9U);

  // It returns a number of messages.
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Fd socket(ends[0]);
  const Fd peer(ends[1]);
  const auto stream = streams->open(test::target_of(socket.get(), FTAP_KIND_SOCKET));
  ASSERT_TRUE(stream);
  std::string text = "not heard either";
  iovec segment{text.data(), text.size()};
  std::array<mmsghdr, 2> messages{};
  for (mmsghdr& message : messages) {
    message.msg_hdr.msg_iov = &segment;
    message.msg_hdr.msg_iovlen = 1;
  }
  EXPECT_EQ(::sendmmsg(socket.get(), messages.data(), 2, 0), 2);
  const auto with_socket = streams->sweep();
  const auto slot = std::ranges::find(with_socket, *stream, &kernel::LogStream::stream);
  ASSERT_NE(slot, with_socket.end());
  EXPECT_EQ(slot->lost[FTAP_LOSS_QUIET], 2 * text.size());

  streams->beat();
  pass("heard again");
  EXPECT_GT((*ring)->backlog(), backlog);
}

TEST_F(LogTapTakeover, NumbersAreNeverUsedAgain) {
  const test::Pipe one;
  const test::Pipe other;
  const test::Pipe third;
  const auto open = [](const kernel::LogLive& live, const test::Pipe& pipe) {
    auto streams = live.streams();
    EXPECT_TRUE(streams);
    return streams->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE)).value_or(0);
  };
  options_.first_stream = 1000;
  EXPECT_EQ(open(start(), one), 1000U);
  options_.first_stream = 7;  // lower than what is running has come to
  EXPECT_EQ(open(start(), other), 1001U);
  EXPECT_EQ(start().streams()->sweep().size(), 2U);
  ASSERT_TRUE(kernel::detach_log_tap(options_.bpffs));
  options_.first_stream = 1002;
  const auto fresh = start();
  EXPECT_FALSE(fresh.taken_over());
  EXPECT_EQ(open(fresh, third), 1002U);
}

TEST_F(LogTapTakeover, TheRingKeepsItsName) {
  std::string id;
  {
    const auto live = start();
    id = (*live.ring())->ring_id();
  }
  {
    const auto live = start();
    EXPECT_EQ((*live.ring())->ring_id(), id);
    EXPECT_EQ(live.program_stats(false).size(), kPrograms);
    for (const auto& program : live.program_stats(false)) EXPECT_TRUE(program) << program.error().what;
  }
  ASSERT_TRUE(kernel::detach_log_tap(options_.bpffs));
  EXPECT_NE((*start().ring())->ring_id(), id);
}

// Of the calling process.
void drop_capability(unsigned capability) {
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  ASSERT_EQ(::syscall(SYS_capget, &head, sets.data()), 0);
  auto& set = sets.at(CAP_TO_INDEX(capability));
  set.effective &= ~CAP_TO_MASK(capability);
  set.permitted &= ~CAP_TO_MASK(capability);
  ASSERT_EQ(::syscall(SYS_capset, &head, sets.data()), 0);
}

TEST_F(LogTapTakeover, WithoutSysAdminOnlyStatisticsAreMissing) {
  EXPECT_FALSE(start().taken_over());
  const bool right = holds_in_child([this] {
    drop_capability(CAP_SYS_ADMIN);
    const auto live = kernel::start_log_tap(options_);
    ASSERT_TRUE(live) << live.error().what;
    EXPECT_TRUE(live->taken_over());
    EXPECT_TRUE(live->ring());
    EXPECT_TRUE(live->streams());
    const auto stats = live->program_stats(false);
    EXPECT_EQ(stats.size(), kPrograms);
    for (const auto& program : stats) {
      ASSERT_FALSE(program) << program->name;
      EXPECT_EQ(program.error().code, EPERM) << program.error().what;
    }
  });
  EXPECT_TRUE(right);
}

TEST_F(LogTapTakeover, HalfAPinIsNone) {
  // A start that was killed between two pins.
  const std::string part = options_.bpffs + "/flowtap/" + kernel::log_abi() + "_part";
  ASSERT_EQ(::mkdir((options_.bpffs + "/flowtap").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir(part.c_str(), 0700), 0);
  EXPECT_FALSE(start().taken_over());
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_TRUE(start().taken_over());
}

// A process that died while it pinned or removed one more hook: there is an array that nothing calls through.
TEST_F(LogTapTakeover, AHookWithoutItsLinkIsMadeAnew) {
  for (const std::string hook : {"calls", "exec", "exit", "fork", "rmdir"}) {
    SCOPED_TRACE(hook);
    const test::Pipe pipe;
    flow::StreamNo stream = 0;
    {
      const auto live = start();
      const auto opened = live.streams()->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE));
      ASSERT_TRUE(opened);
      stream = *opened;
    }
    const std::string link = options_.bpffs + "/flowtap/hooks/link_" + hook;
    ASSERT_TRUE(std::filesystem::remove(link));
    auto live = start();
    EXPECT_FALSE(live.taken_over());
    EXPECT_TRUE(std::filesystem::exists(link));
    EXPECT_EQ(live.program_stats(false).size(), kPrograms);
    const auto relieved = live.relieve();
    ASSERT_TRUE(relieved) << relieved.error().what;
    ASSERT_EQ(relieved->size(), 1U);
    EXPECT_EQ(relieved->front().before.stream, stream);
    live.forget_older();
    EXPECT_FALSE(live.left_over()) << live.left_over()->what;

    const std::string text = test::lines(100);
    test::write_all(pipe.in.get(), text);
    std::string buffer(text.size(), ' ');
    ASSERT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
    test::Captured captured;
    ASSERT_TRUE((*live.ring())->drain(1U << 20U, [&](std::span<const std::byte> raw) { captured.add(raw); }));
    EXPECT_EQ(captured.of(relieved->front().number).whole(), text);
    EXPECT_TRUE(start().taken_over());
    ASSERT_TRUE(kernel::detach_log_tap(options_.bpffs));
  }
}

TEST_F(LogTapTakeover, AHookWithoutItsArrayIsToldAndLeft) {
  EXPECT_FALSE(start().taken_over());
  ASSERT_TRUE(std::filesystem::remove(options_.bpffs + "/flowtap/hooks/at_calls"));
  const auto live = kernel::start_log_tap(options_);
  ASSERT_FALSE(live);
  EXPECT_NE(live.error().what.find("the pinned hook calls of the log tap lacks its array"), std::string::npos)
      << live.error().what;
  EXPECT_EQ(live.error().hint, kernel::kDetachHint);
}

TEST_F(LogTapTakeover, NothingIsPinnedIntoAFolderOfSomebodyElse) {
  const std::string folder = options_.bpffs + "/flowtap";
  const auto is_refused = [&](uid_t owner, mode_t mode) {
    EXPECT_EQ(::mkdir(folder.c_str(), 0700), 0);
    EXPECT_EQ(::chown(folder.c_str(), owner, 0), 0);
    EXPECT_EQ(::chmod(folder.c_str(), mode), 0);
    const auto live = kernel::start_log_tap(options_);
    EXPECT_TRUE(live) << live.error().what;
    EXPECT_EQ(::rmdir(folder.c_str()), live && live->unpinned() ? 0 : -1);
    return live && live->unpinned() &&
           live->unpinned()->what.find("belongs to somebody else") != std::string::npos;
  };
  EXPECT_TRUE(is_refused(65534, 0700));
  EXPECT_TRUE(is_refused(0, 0770));
  EXPECT_TRUE(is_refused(0, 0702));
  EXPECT_FALSE(is_refused(0, 0750));
}

TEST_F(LogTapTakeover, APinThatFailsLeavesNothing) {
  const kernel::LogPins pins(options_.bpffs);
  ASSERT_TRUE(pins.check());
  const Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", 4, 8, 1, nullptr));
  ASSERT_TRUE(map.valid());
  EXPECT_FALSE(pins.pin("some", {{"first", map.get()}, {"second", -1}}));
  EXPECT_TRUE(std::filesystem::is_empty(options_.bpffs + "/flowtap"));
  EXPECT_TRUE(pins.pin("some", {{"first", map.get()}}));
  EXPECT_EQ(pins.find("some")->size(), 1U);
}

// As first builds left it: links in the layout's folder, and no hooks.
TEST_F(LogTapTakeover, LayoutsWithoutHooksGo) {
  const std::string ours = options_.bpffs + "/flowtap/" + kernel::log_abi();
  const std::string other = options_.bpffs + "/flowtap/0123456789abcdef";
  EXPECT_FALSE(start().taken_over());
  std::filesystem::rename(ours, other);
  std::filesystem::remove_all(options_.bpffs + "/flowtap/hooks");
  std::filesystem::create_directories(other + "_part");
  const auto live = start();
  EXPECT_FALSE(live.taken_over());
  EXPECT_FALSE(live.left_over()) << live.left_over()->what;
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_FALSE(std::filesystem::exists(other + "_part"));
  EXPECT_TRUE(std::filesystem::exists(ours));
}

TEST_F(LogTapTakeover, OnlyWithoutABpfFileSystemIsThereNothingToDetach) {
  EXPECT_TRUE(kernel::detach_log_tap(root_)) << "some other file system";
  EXPECT_TRUE(kernel::detach_log_tap(root_ + "/nowhere"));
  EXPECT_FALSE(start().taken_over());
  // Who may not see what is pinned, or may not remove it, has not ended the capture.
  for (const mode_t mode : {0700U, 0755U}) {
    ASSERT_EQ(::chmod(root_.c_str(), mode), 0);
    const bool right = holds_in_child([this] {
      ASSERT_EQ(::setresuid(65534, 65534, 65534), 0);
      const auto detached = kernel::detach_log_tap(options_.bpffs);
      ASSERT_FALSE(detached);
      EXPECT_EQ(detached.error().code, EACCES) << detached.error().what;
      EXPECT_EQ(detached.error().hint, "run it as root");
    });
    EXPECT_TRUE(right) << std::oct << mode;
  }
  EXPECT_TRUE(start().taken_over());
}

TEST_F(LogTapTakeover, WithoutABpfFileSystemItRunsAndSaysSo) {
  options_.bpffs = root_;
  const auto live = kernel::start_log_tap(options_);
  ASSERT_TRUE(live) << live.error().what;
  ASSERT_TRUE(live->unpinned());
  EXPECT_NE(live->unpinned()->what.find("no BPF file system is mounted on " + root_), std::string::npos);
  options_.bpffs = root_ + "/bpf";
}

}  // namespace
}  // namespace flowtap
