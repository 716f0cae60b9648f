// What passes through io_uring: programs at the kernel's functions see it, and no program at the end of system calls
// does.
#include <fcntl.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <numeric>
#include <string>
#include <thread>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/support/writer_lines.h"

namespace flowtap {
namespace {

using test::write_all;

constexpr unsigned kLines = 500;
const std::string kCount = std::to_string(kLines);

// What `log_writer uring 0 kLines` writes.
std::string written() {
  std::string text;
  std::array<char, WRITER_LONGEST> line{};
  for (unsigned i = 0; i < kLines; ++i) text.append(line.data(), writer_line(i, line.data()));
  return text;
}

// Whether the kernel lets anybody have a ring: only then does it look at what it is given.
bool has_rings() {
  return ::syscall(SYS_io_uring_setup, 1U, nullptr) < 0 && errno == EFAULT;
}

// Runs log_writer with these arguments, its standard input and output where the test wants them. Returns its exit
// status.
int log_writer(std::array<const char*, 3> words, int in, int out) {
  const std::string program = paths::log_writer();
  const std::array<const char*, 5> argv{program.c_str(), words[0], words[1], words[2], nullptr};
  const pid_t child = ::fork();
  if (child == 0) {
    if (::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0)
      ::execv(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

class LogTapUring : public test::TapTest {
 protected:
  void SetUp() override {
    if (!has_rings()) GTEST_SKIP() << "there is no io_uring here: it runs in the virtual machines";
    TapTest::SetUp();
  }
  static bool sees_rings() { return GetParam() == kernel::LogBackend::kFunctions; }

  static void write_lines(int out) {
    const Fd none(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(log_writer({"uring", "0", kCount.c_str()}, none.get(), out), 0);
  }

  // Depending on the backend the tap sees everything, or no trace.
  void expect_seen(flow::StreamNo stream, const std::string& text) {
    const auto& got = tap_->captured().of(stream);
    const auto slot = tap_->slot(stream);
    if (!sees_rings()) {
      EXPECT_TRUE(got.pieces.empty()) << got.captured();
      EXPECT_EQ(slot.passed, 0U);
    } else if (expect_all(got, text)) {
      EXPECT_EQ(slot.passed, text.size());
    }
    EXPECT_EQ(std::accumulate(slot.lost.begin(), slot.lost.end(), std::uint64_t{0}), 0U);
  }
};

// Where writes leave no trace, the place of the next one says how much must be read from the file.
TEST_P(LogTapUring, IntoAFile) {
  std::string path = "/tmp/flowtap-test-XXXXXX";
  const Fd file(::mkostemp(path.data(), O_CLOEXEC | O_APPEND));
  ASSERT_TRUE(file.valid());
  ::unlink(path.c_str());
  const flow::StreamNo stream = tap_->tap(file.get(), FTAP_KIND_FILE);
  write_lines(file.get());
  const std::string text = written();
  expect_seen(stream, text);
  write_all(file.get(), "and seen");
  const auto& got = tap_->captured().of(stream);
  if (got.pieces.empty() && suspect()) return;
  EXPECT_EQ(got.pieces.rbegin()->second, "and seen");
  EXPECT_EQ(got.positions.rbegin()->second, text.size());
}

TEST_P(LogTapUring, OntoATerminal) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const Fd screen(master);
  Fd keyboard(slave);
  const flow::StreamNo stream = tap_->tap(keyboard.get(), FTAP_KIND_TTY);
  std::string shown;
  std::thread reader([&] { shown = test::read_all(screen.get(), 4096); });
  write_lines(keyboard.get());
  keyboard.reset();
  reader.join();
  const std::string text = written();
  EXPECT_EQ(shown.size(), text.size() + kLines) << "the terminal's own \\r";
  expect_seen(stream, text);
}

TEST_P(LogTapUring, IntoASocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  Fd writer(ends[0]);
  const Fd peer(ends[1]);
  const flow::StreamNo stream = tap_->tap(writer.get(), FTAP_KIND_SOCKET);
  std::string read;
  std::thread reader([&] { read = test::read_all(peer.get(), 65536); });
  write_lines(writer.get());
  writer.reset();
  reader.join();
  EXPECT_TRUE(read == written());
  expect_seen(stream, read);
}

TEST_P(LogTapUring, OutOfAPipe) {
  test::Pipe pipe;
  const flow::StreamNo stream = tap_->tap(pipe.out.get());
  const std::string text = test::lines(5000);
  std::thread writer([&] { write_all(pipe.in.get(), text), pipe.in.reset(); });
  const Fd copy(::memfd_create("copy", MFD_CLOEXEC));
  EXPECT_EQ(log_writer({"read-uring", nullptr, nullptr}, pipe.out.get(), copy.get()), 0);
  writer.join();
  std::string read(text.size() + 1, '\0');
  read.resize(
      static_cast<std::size_t>(std::max<ssize_t>(::pread(copy.get(), read.data(), read.size(), 0), 0)));
  ASSERT_TRUE(read == text) << "the test itself";
  expect_seen(stream, text);
  const auto ends = tap_->captured().of(stream).ends.size();
  if (sees_rings() && suspect()) return;
  EXPECT_EQ(ends, sees_rings() ? 1U : 0U);
}

FLOWTAP_EACH_BACKEND(LogTapUring);

}  // namespace
}  // namespace flowtap
