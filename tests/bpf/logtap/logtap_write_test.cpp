// Files, Unix sockets and terminals, tapped where they are written.
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/bpf/i386_call.hpp"
#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap {
namespace {

using test::binary;
using test::write_all;

class LogTapWrite : public test::TapTest {
 protected:
  // A file that is gone when it is closed.
  static Fd file(int flags = 0) {
    std::string path = "/tmp/flowtap-test-XXXXXX";
    Fd made(::mkostemp(path.data(), O_CLOEXEC | flags));
    if (!made.valid()) throw std::runtime_error("no file");
    ::unlink(path.c_str());
    return made;
  }

  static std::string content(int fd) {
    std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

  void expect_file(flow::StreamNo stream, int fd, std::uint64_t passed) {
    const auto& got = tap_->captured().of(stream);
    EXPECT_TRUE(got.as_file() == content(fd));
    EXPECT_EQ(got.captured(), passed);
    EXPECT_EQ(tap_->slot(stream).passed, passed);
  }
};

TEST_P(LogTapWrite, FileAtTheDescriptorsPosition) {
  const Fd file = this->file();
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  const std::string text = binary(1'000'000);
  for (std::size_t at = 0, n = 1; at < text.size(); at += n, n = n * 3 + 1)
    write_all(file.get(), text.data() + at, std::min(n, text.size() - at));
  EXPECT_TRUE(tap_->captured().of(stream).whole() == text);
  expect_file(stream, file.get(), text.size());
}

TEST_P(LogTapWrite, FileAtGivenPositions) {
  const Fd file = this->file();
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  const std::string text = binary(20'000);
  EXPECT_EQ(::pwrite(file.get(), text.data() + 10'000, 10'000, 10'000), 10'000);
  std::string one = text.substr(0, 4000);
  std::string other = text.substr(4000, 6000);
  const std::array<iovec, 3> segments{
      iovec{one.data(), one.size()}, {nullptr, 0}, {other.data(), other.size()}};
  EXPECT_EQ(::pwritev(file.get(), segments.data(), 3, 0), 10'000);
  expect_file(stream, file.get(), 20'000);
  EXPECT_TRUE(content(file.get()) == text);
}

TEST_P(LogTapWrite, FileThatIsAppendedTo) {
  const Fd file = this->file(O_APPEND);
  write_all(file.get(), "there before ");
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  std::string word = "second ";
  const iovec segment{word.data(), word.size()};
  write_all(file.get(), "first ");
  EXPECT_EQ(::pwrite(file.get(), word.data(), word.size(), 0), 7) << "Linux appends it";
  EXPECT_EQ(::writev(file.get(), &segment, 1), 7);
  EXPECT_EQ(::pwritev2(file.get(), &segment, 1, -1, 0), 7);
  EXPECT_EQ(content(file.get()), "there before first second second second ");
  EXPECT_EQ(tap_->captured().of(stream).as_file(), std::string(13, '\0') + "first second second second ");
}

TEST_P(LogTapWrite, AppendAskedForByTheCall) {
  const Fd file = this->file();
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  std::string word = "word";
  const iovec segment{word.data(), word.size()};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(::pwritev2(file.get(), &segment, 1, 0, RWF_APPEND), 4);
  expect_file(stream, file.get(), 12);
  EXPECT_EQ(content(file.get()), "wordwordword");
}

TEST_P(LogTapWrite, WhatTheKernelCopiesIntoAFileIsCounted) {
  const Fd file = this->file();
  const Fd source = this->file();
  const test::Pipe pipe;
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  write_all(source.get(), binary(1000));
  write_all(file.get(), "seen");
  off_t at = 0;
  loff_t from = 0;
  EXPECT_EQ(::sendfile(file.get(), source.get(), &at, 300), 300);
  EXPECT_EQ(::copy_file_range(source.get(), &from, file.get(), nullptr, 200, 0), 200);
  write_all(pipe.in.get(), "spliced");
  EXPECT_EQ(::splice(pipe.out.get(), nullptr, file.get(), nullptr, 7, 0), 7);
  write_all(file.get(), "again");
  const auto& got = tap_->captured().of(stream);
  EXPECT_EQ(got.pieces, (std::map<std::uint64_t, std::string>{{0, "seen"}, {511, "again"}}));
  EXPECT_EQ(got.positions.at(511), 511U);
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_UNCAPTURED], 507U);
  EXPECT_EQ(tap_->slot(stream).passed, 516U);
}

// Writes by sendfile and by splice; what is written behind that keeps its place.
TEST_P(LogTapWrite, WhatTheKernelCopiesIntoATerminalOrASocketIsCounted) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const std::array<Fd, 4> all{Fd(slave), Fd(master), Fd(ends[0]), Fd(ends[1])};
  for (const auto& [place, kind] : {std::pair{slave, FTAP_KIND_TTY}, {ends[0], FTAP_KIND_SOCKET}}) {
    SCOPED_TRACE(kind);
    const Fd source = this->file();
    const test::Pipe pipe;
    const flow::StreamNo stream = tap_->tap(place, kind);
    write_all(source.get(), test::lines(10));
    write_all(place, "seen");
    off_t at = 0;
    EXPECT_EQ(::sendfile(place, source.get(), &at, 300), 300);
    write_all(pipe.in.get(), "spliced");
    EXPECT_EQ(::splice(pipe.out.get(), nullptr, place, nullptr, 7, 0), 7);
    write_all(place, "again");
    const auto& got = tap_->captured().of(stream);
    EXPECT_EQ(got.pieces, (std::map<std::uint64_t, std::string>{{0, "seen"}, {311, "again"}}));
    EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_UNCAPTURED], 307U);
    EXPECT_EQ(tap_->slot(stream).passed, 316U);
  }
}

TEST_P(LogTapWrite, UnixStreamSocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Fd writer(ends[0]);
  const Fd peer(ends[1]);
  const flow::StreamNo stream = tap_->tap(writer.get(), FTAP_KIND_SOCKET);
  std::string read;
  std::thread reader([&] { read = test::read_all(peer.get(), 10'000); });

  write_all(writer.get(), binary(100'000));
  EXPECT_EQ(::send(writer.get(), "sent", 4, MSG_NOSIGNAL), 4);
  std::string one = "one ";
  std::string two = binary(7000);
  std::array<iovec, 2> segments{iovec{one.data(), one.size()}, {two.data(), two.size()}};
  EXPECT_EQ(::writev(writer.get(), segments.data(), 2), 7004);
  std::array<mmsghdr, 3> messages{};
  messages[0].msg_hdr.msg_iov = segments.data();
  messages[0].msg_hdr.msg_iovlen = 2;
  messages[1].msg_hdr.msg_iov = &segments[1];
  messages[1].msg_hdr.msg_iovlen = 1;
  messages[2].msg_hdr.msg_iov = segments.data();
  messages[2].msg_hdr.msg_iovlen = 1;
  EXPECT_EQ(::sendmsg(writer.get(), &messages[0].msg_hdr, 0), 7004);
  EXPECT_EQ(::sendmmsg(writer.get(), messages.data(), 3, 0), 3);
  ::shutdown(writer.get(), SHUT_WR);
  reader.join();

  EXPECT_EQ(read.size(), 100'000U + 4 + 7004 + 7004 + 7004 + 7000 + 4);
  if (!expect_all(tap_->captured().of(stream), read, 100'000)) return;
  EXPECT_EQ(tap_->slot(stream).passed, read.size());
}

// Only the headers tell what a call has sent: if a message's header is gone by then, its length is not known.
TEST_P(LogTapWrite, AMessageWhoseHeaderIsGoneIsMissed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  Fd writer(ends[0]);
  const Fd peer(ends[1]);
  const flow::StreamNo stream = tap_->tap(writer.get(), FTAP_KIND_SOCKET);
  constexpr std::size_t kPage = 4096;
  auto* pages = static_cast<char*>(
      ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* messages = reinterpret_cast<mmsghdr*>(pages + kPage) - 1;  // the second one is in the second page
  std::string first = "first";
  std::string second = binary(10'000'000);  // more than the socket holds
  std::array<iovec, 2> segments{iovec{first.data(), first.size()}, {second.data(), second.size()}};
  for (int i = 0; i < 2; ++i) {
    messages[i].msg_hdr.msg_iov = &segments.at(static_cast<std::size_t>(i));
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  std::string read;
  std::thread reader([&] {
    int waiting = 0;
    EXPECT_TRUE(test::eventually([&] {
      return ::ioctl(peer.get(), FIONREAD, &waiting) != 0 || waiting > static_cast<int>(first.size());
    }));
    ::munmap(pages, kPage);
    read = test::read_all(peer.get(), 65536);
  });
  // Not libc's sendmmsg(): a sanitizer's would look at the header afterwards.
  EXPECT_EQ(::syscall(SYS_sendmmsg, writer.get(), messages, 2, 0), 2);
  writer.reset();
  reader.join();
  ::munmap(pages + kPage, kPage);
  ASSERT_TRUE(read == first + second);
  const auto& got = tap_->captured().of(stream);
  if (GetParam() == kernel::LogBackend::kFunctions) {
    expect_all(got, read, second.size());  // there each message is a call
    return;
  }
  EXPECT_EQ(got.captured(), second.size());
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_FAULT], 1U);
  EXPECT_EQ(tap_->slot(stream).passed, second.size() + 1);
}

#ifdef __x86_64__
TEST_P(LogTapWrite, A32BitTasksMessages) {
  if (!test::has_i386_calls()) return;
  constexpr long kSendmmsg = 345;
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Fd writer(ends[0]);
  const Fd peer(ends[1]);
  const flow::StreamNo stream = tap_->tap(writer.get(), FTAP_KIND_SOCKET);
  test::LowMemory memory;
  test::I386Mmsghdr message{};
  message.vector = memory.put(test::I386Iovec{memory.put(std::string_view("of ten chr")), 10});
  message.segments = 1;
  const std::uint32_t messages = memory.put(std::array{message, message, message});
  EXPECT_EQ(test::i386_call(kSendmmsg, {static_cast<std::uint32_t>(writer.get()), messages, 3, 0}), 3);
  const auto& got = tap_->captured().of(stream);
  if (GetParam() == kernel::LogBackend::kFunctions) {
    expect_all(got, "of ten chrof ten chrof ten chr", 10);
    return;
  }
  EXPECT_EQ(tap_->slot(stream).passed, 30U);
  EXPECT_EQ(tap_->slot(stream).lost[FTAP_LOSS_UNCAPTURED], 30U);
}
#endif

TEST_P(LogTapWrite, Terminal) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd screen(master);
  const Fd keyboard(slave);
  const flow::StreamNo stream = tap_->tap(keyboard.get(), FTAP_KIND_TTY);
  const std::string text = test::lines(20);
  test::write_lines(keyboard.get(), text);
  EXPECT_TRUE(tap_->captured().of(stream).whole() == text)
      << "as it was written, without the terminal's own \\r";
}

// A tmpfs that is made where another was unmounted gets that one's device number, and numbers its files as that one
// did.
class ScratchTmpfs {
 public:
  ScratchTmpfs() {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no directory");
    mount();
  }
  ~ScratchTmpfs() {
    ::umount(path_.c_str());
    ::rmdir(path_.c_str());
  }
  ScratchTmpfs(const ScratchTmpfs&) = delete;
  ScratchTmpfs& operator=(const ScratchTmpfs&) = delete;

  [[nodiscard]] Fd file() const {
    return Fd(::open((path_ + "/file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  }
  void make_anew() {
    if (::umount(path_.c_str()) != 0) throw std::runtime_error("it is in use");
    mount();
  }

 private:
  void mount() {
    if (::mount("none", path_.c_str(), "tmpfs", 0, nullptr) != 0) throw std::runtime_error("no tmpfs");
  }
  std::string path_ = "/tmp/flowtap-test-XXXXXX";
};

TEST_P(LogTapWrite, ADeletedFilesNumberIsNotItsSuccessor) {
  ScratchTmpfs tmpfs;
  Fd file = tmpfs.file();
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  write_all(file.get(), "first");
  const kernel::LogTarget first = test::target_of(file.get(), FTAP_KIND_FILE);
  const auto is_successor = [&first](const Fd& other) {
    const kernel::LogTarget target = test::target_of(other.get(), FTAP_KIND_FILE);
    return target.inode == first.inode && target.device == first.device;
  };
  file.reset();
  // If anybody else mounts something just then, that mount may get the number.
  Fd another;
  for (int tries = 0; tries < 100 && (!another.valid() || !is_successor(another)); ++tries) {
    another.reset();
    tmpfs.make_anew();
    another = tmpfs.file();
  }
  ASSERT_TRUE(is_successor(another)) << "there is nothing to prove";
  write_all(another.get(), "another");
  EXPECT_EQ(tap_->captured().of(stream).whole(), "first");
  EXPECT_EQ(tap_->slot(stream).state, FTAP_STREAM_ENDED);
  EXPECT_EQ(tap_->captured().of(stream).ends.size(), 1U);
}

TEST_P(LogTapWrite, AnotherFileIsNotTapped) {
  const Fd file = this->file();
  const Fd other = this->file();
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  write_all(other.get(), "not this");
  write_all(file.get(), "this");
  std::array<char, 4> buffer{};
  EXPECT_EQ(::pread(file.get(), buffer.data(), 4, 0), 4) << "and reading it is no writing";
  EXPECT_EQ(tap_->captured().of(stream).whole(), "this");
}

FLOWTAP_EACH_BACKEND(LogTapWrite);

}  // namespace
}  // namespace flowtap
