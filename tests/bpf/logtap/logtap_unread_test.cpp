// Pipes whose reader leaves before it has read them, and readers that are only slow: each byte that was written is captured, or
// is told as one that nobody has read.
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "kernel/log/open_files.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "stream/sources/stream_slots.hpp"
#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/must.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::lines;
using test::must;
using test::Pipe;

// A process of its own, which is killed if it has not ended.
class Child {
 public:
  template <typename Do>
  explicit Child(const Do& what) : pid_(::fork()) {
    if (pid_ != 0) return;
    what();
    ::_exit(0);
  }
  Child(Child&& from) noexcept : pid_(std::exchange(from.pid_, 0)) {}
  Child& operator=(Child&&) = delete;
  ~Child() { end(SIGKILL); }

  void end(int signal = 0) {
    if (pid_ <= 0) return;
    if (signal != 0) ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  void send(int signal) const { ::kill(pid_, signal); }
  void stop() const {
    send(SIGSTOP);
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
  }

 private:
  pid_t pid_;
};

// Writes all of it to its standard output, and ends.
Child writer(const Pipe& pipe, const std::string& text) {
  return Child([&] {
    ::dup2(pipe.in.get(), STDOUT_FILENO);
    test::write_all(STDOUT_FILENO, text);
  });
}

// A descriptor on its way through a socket, from one process to another.
class Parcel {
 public:
  explicit Parcel(int fd) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_.data()), 0);
    const msghdr message = prepare();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
    EXPECT_EQ(::sendmsg(sockets_[0], &message, 0), 1);
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
  ~Parcel() {
    for (const int socket : sockets_) ::close(socket);
  }
  [[nodiscard]] Fd take() {
    msghdr message = prepare();
    EXPECT_EQ(::recvmsg(sockets_[1], &message, MSG_CMSG_CLOEXEC), 1);
    int fd = -1;
    if (const cmsghdr* const head = CMSG_FIRSTHDR(&message); head != nullptr)
      std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return Fd(fd);
  }

 private:
  [[nodiscard]] msghdr prepare() {
    msghdr message{};
    message.msg_iov = &part_;
    message.msg_iovlen = 1;
    message.msg_control = room_.data();
    message.msg_controllen = room_.size();
    return message;
  }

  std::array<int, 2> sockets_{};
  char byte_ = 'x';
  iovec part_{&byte_, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room_{};
};

class LogTapUnread : public test::TapTest {};

TEST_P(LogTapUnread, WhatIsInThePipeWhenItsWriterEndsIsNoted) {
  Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  const std::string text = lines(200);
  writer(pipe, text).end();
  EXPECT_EQ(tap_->slot(stream).written, text.size());
  std::string some(1000, ' ');
  ASSERT_EQ(::read(pipe.out.get(), some.data(), some.size()), 1000);
  writer(pipe, text).end();
  EXPECT_EQ(tap_->slot(stream).written, 2 * text.size());
  pipe.out.reset();
  ASSERT_TRUE(tap_->streams().abandon(tap_->slot(stream)));
  const auto slot = tap_->slot(stream);
  EXPECT_EQ(slot.state, FTAP_STREAM_ENDED);
  EXPECT_EQ(slot.passed, 2 * text.size());
  EXPECT_EQ(slot.lost[FTAP_LOSS_UNREAD], 2 * text.size() - 1000);
}

TEST_P(LogTapUnread, AStreamThatIsOnlyLetGoHasLostNothing) {
  const Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  writer(pipe, lines(10)).end();
  ASSERT_TRUE(tap_->streams().end(tap_->slot(stream)));
  EXPECT_EQ(tap_->slot(stream).passed, 0U);
  EXPECT_EQ(tap_->slot(stream).lost, decltype(flow::End::lost){});
}

// As if a program had been kept from running.
TEST_P(LogTapUnread, WhatWasReadUnseenIsCountedAtTheEnd) {
  Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  const std::string text = lines(200);
  writer(pipe, text).end();
  tap_->streams().mute(true);
  std::string some(1000, ' ');
  ASSERT_EQ(::read(pipe.out.get(), some.data(), some.size()), 1000);
  tap_->streams().mute(false);
  pipe.in.reset();
  const std::string rest = test::read_all(pipe.out.get(), 4096);
  const auto& got = tap_->captured().of(stream);
  if (!expect_all(got, rest)) return;
  ASSERT_EQ(got.ends.size(), 1U);
  EXPECT_EQ(got.ends[0].passed, text.size());
  EXPECT_EQ(got.ends[0].lost[FTAP_LOSS_UNCAPTURED], 1000U);
}

// Processes end while their pipe is read, in every order of the two: what one of them notes is never more than what comes.
TEST_P(LogTapUnread, WhereAllIsReadNothingIsMissing) {
  Pipe pipe;
  ASSERT_GT(::fcntl(pipe.out.get(), F_SETPIPE_SZ, 1 << 20), 0);
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  std::string read;
  std::thread reader([&] { read = test::read_all(pipe.out.get(), 777); });
  std::vector<Child> writers;
  for (int i = 0; i < 100; ++i) writers.push_back(writer(pipe, lines(1 + 3 * i)));
  for (Child& one : writers) one.end();
  pipe.in.reset();
  reader.join();
  const auto& got = tap_->captured().of(stream);
  if (!expect_all(got, read)) return;
  ASSERT_EQ(got.ends.size(), 1U);
  EXPECT_EQ(got.ends[0].passed, read.size());
  EXPECT_EQ(got.ends[0].lost, decltype(flow::End::lost){});
  EXPECT_GT(tap_->slot(stream).written, 0U);
}

// What is looked at as its buffers may be freed meanwhile, and may be other memory.
TEST_P(LogTapUnread, APipeThatIsResizedHasNoMoreThanWasWritten) {
  Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> resized{0};
  std::thread resizer([&] {
    constexpr std::array kSizes = {1 << 16, 1 << 20, 1 << 14};
    while (!over)
      if (::fcntl(pipe.in.get(), F_SETPIPE_SZ, kSizes[resized % kSizes.size()]) > 0) ++resized;
  });
  const std::string text = lines(10);
  std::uint64_t total = 0;
  for (int i = 0; i < 200; ++i) {
    writer(pipe, text).end();
    total += text.size();
    EXPECT_LE(tap_->slot(stream).written, total);
    if (i % 10 == 9) {
      std::string some(10 * text.size(), ' ');
      EXPECT_EQ(::read(pipe.out.get(), some.data(), some.size()), static_cast<ssize_t>(some.size()));
    }
  }
  over = true;
  resizer.join();
  EXPECT_GT(resized, 0U);
}

FLOWTAP_EACH_BACKEND(LogTapUnread);

class NoNamer final : public flow::Namer {
 public:
  [[nodiscard]] flow::Naming name(const flow::Enter& /*enter*/) override {
    return {flow::NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5};
  }
};

// A container's pipe, its reader, and the service's own consumer behind the tap.
class UnreadPipe : public testing::Test {
 protected:
  void SetUp() override {
    live_ = must(kernel::start_log_tap({.ring_bytes = 1U << 20U, .bpffs = ""}));
    ring_ = must(live_->ring());
    files_ = must(kernel::OpenFiles::load());
    slots_.emplace(must(live_->streams()));
    slots_->ask(&*files_);
    journal_ = must(flow::Journal::open({.dir = dir_ / "journal"}));
    consumer_.emplace(*ring_, *journal_, *slots_, namer_, flow::ConsumerOptions{.rest = 10ms, .users = 1s});
    kernel::LogTarget target = test::target_of(pipe_.out.get(), FTAP_KIND_PIPE);
    target.cgroup = cgroup_->id();
    target.fds = FTAP_STDOUT;
    ASSERT_TRUE(slots_->kernel().mark(target.cgroup));
    stream_ = must(slots_->kernel().open(target));
  }

  // It reads into the void, and is stopped by now.
  [[nodiscard]] Child stopped_reader() {
    Child reader([this] {
      pipe_.in.reset();
      test::read_all(pipe_.out.get(), 4096);
    });
    reader.stop();
    pipe_.out.reset();
    return reader;
  }
  void remove_cgroup() { cgroup_.reset(); }
  void rounds_for(std::chrono::milliseconds time) {
    for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;)
      consumer_->round();
  }
  [[nodiscard]] bool ends() {
    return eventually([this] {
      consumer_->round();
      const auto known = journal_->stream(stream_);
      return known && known->sums.ended;
    });
  }
  [[nodiscard]] std::string text() const { return must(journal_->read(stream_, 0, 1U << 20U)).bytes; }
  [[nodiscard]] flow::StreamSums sums() const { return journal_->stream(stream_)->sums; }

  Pipe pipe_;
  std::optional<test::ScratchCgroup> cgroup_{std::in_place};
  std::optional<kernel::LogLive> live_;
  std::unique_ptr<kernel::RingReader> ring_;
  std::optional<kernel::OpenFiles> files_;
  std::optional<StreamSlots> slots_;
  test::TempDir dir_;
  std::unique_ptr<flow::Journal> journal_;
  NoNamer namer_;
  std::optional<flow::LogConsumer> consumer_;
  flow::StreamNo stream_ = 0;
};

TEST_F(UnreadPipe, AReaderThatStandsStillGetsAll) {
  const std::string text = lines(400);
  const Child reader = stopped_reader();
  writer(pipe_, text).end();
  pipe_.in.reset();
  remove_cgroup();
  rounds_for(4s);
  EXPECT_FALSE(journal_->stream(stream_) && sums().ended) << "it will be read";
  reader.send(SIGCONT);
  ASSERT_TRUE(ends());
  EXPECT_EQ(this->text(), text);
  EXPECT_EQ(sums().passed, text.size());
  EXPECT_EQ(sums().missing(), 0U);
}

// It has not seen the pipe's end, and nobody sees it any more.
TEST_F(UnreadPipe, AReaderThatLeavesBehindItsLastReadHasLeftNothing) {
  const std::string text = lines(400);
  Child reader = Child([&] {
    pipe_.in.reset();
    std::string some(777, ' ');
    for (std::size_t got = 0; got < text.size();) {
      const ssize_t n = ::read(pipe_.out.get(), some.data(), some.size());
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
  });
  reader.stop();
  pipe_.out.reset();
  writer(pipe_, text).end();
  pipe_.in.reset();
  remove_cgroup();
  reader.send(SIGCONT);
  reader.end();
  ASSERT_TRUE(ends());
  EXPECT_EQ(this->text(), text);
  EXPECT_EQ(sums().passed, text.size());
  EXPECT_EQ(sums().missing(), 0U);
}

TEST_F(UnreadPipe, WhatAReaderThatIsKilledLeavesIsCounted) {
  const std::string text = lines(400);
  Child reader = stopped_reader();
  writer(pipe_, text).end();
  pipe_.in.reset();
  reader.end(SIGKILL);
  remove_cgroup();
  ASSERT_TRUE(ends());
  EXPECT_EQ(this->text(), "");
  EXPECT_EQ(sums().missing(), text.size());
  EXPECT_EQ(sums().lost[FTAP_LOSS_UNREAD], text.size());
  EXPECT_EQ(consumer_->counts().lost[FTAP_LOSS_UNREAD], text.size());
}

// The writer lives on and writes no more, so it has noted nothing.
TEST_F(UnreadPipe, WhatStandsInAPipeWithoutReadersIsCounted) {
  const std::string text = lines(400);
  Child reader = stopped_reader();
  const Child writer([&] {
    ::dup2(pipe_.in.get(), STDOUT_FILENO);
    test::write_all(STDOUT_FILENO, text);
    while (true) ::pause();
  });
  ASSERT_TRUE(eventually([&] {
    int waiting = 0;
    return ::ioctl(pipe_.in.get(), FIONREAD, &waiting) == 0 &&
           static_cast<std::size_t>(waiting) == text.size();
  }));
  pipe_.in.reset();
  reader.end(SIGKILL);
  ASSERT_TRUE(ends());
  EXPECT_EQ(sums().missing(), text.size());
  EXPECT_EQ(sums().lost[FTAP_LOSS_UNREAD], text.size());
}

// The pipe's reading end is in nobody's table of descriptors: it waits in a socket for who will get it.
TEST_F(UnreadPipe, AReaderThatIsOnItsWayIsNotGone) {
  const std::string text = lines(400);
  Parcel parcel(pipe_.out.get());
  pipe_.out.reset();
  const Child lives([&] {
    ::dup2(pipe_.in.get(), STDOUT_FILENO);
    test::write_all(STDOUT_FILENO, text);
    while (true) ::pause();
  });
  pipe_.in.reset();
  rounds_for(3s);
  EXPECT_FALSE(journal_->stream(stream_) && sums().ended);
  const Fd got = parcel.take();
  std::string buffer(text.size(), ' ');
  ASSERT_EQ(::read(got.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
  EXPECT_TRUE(eventually([&] {
    consumer_->round();
    return this->text() == text;
  }));
}

}  // namespace
}  // namespace flowtap
