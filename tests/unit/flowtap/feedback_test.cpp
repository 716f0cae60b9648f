// A process and a tap that write to one place.
#include "tools/flowtap/logs/feedback.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/fd.hpp"
#include "tests/support/eventually.hpp"

namespace flowtap::cli {
namespace {

// A process that lives until the test ends and has these outputs.
class Writer {
 public:
  Writer(int out, int err) : pid_(::fork()) {
    if (pid_ != 0) return;
    if (::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  ~Writer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // It has our outputs until it has changed them.
  [[nodiscard]] Status check(const std::vector<int>& theirs, const std::vector<int>& ours,
                             bool refused) const {
    Status status;
    EXPECT_TRUE(test::eventually([&] {
      status = check_no_feedback(static_cast<std::uint32_t>(pid_), theirs, ours);
      return !status == refused;
    }));
    return status;
  }

 private:
  pid_t pid_;
};

TEST(Feedback, OneTerminal) {
  const Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master.valid() && ::grantpt(master.get()) == 0 && ::unlockpt(master.get()) == 0);
  const Fd tty(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  const Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const Writer writer(file.get(), tty.get());
  const Status refused = writer.check({1, 2}, {tty.get()}, true);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("terminal"), std::string::npos) << refused.error().what;
  EXPECT_TRUE(writer.check({1}, {tty.get()}, false)) << "its stdout alone leads elsewhere";
  EXPECT_FALSE(writer.check({1}, {tty.get(), file.get()}, true)) << "into a file that we would write to";
}

TEST(Feedback, OnePipeAndNothingAtAll) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd read(pipe[0]);
  const Fd write(pipe[1]);
  const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Writer writer(write.get(), null.get());
  EXPECT_FALSE(writer.check({1, 2}, {write.get()}, true));
  EXPECT_TRUE(writer.check({1, 2}, {null.get()}, false)) << "both into /dev/null";
  EXPECT_TRUE(check_no_feedback(4'000'000, {1, 2}, {write.get()})) << "there is no such process";
}

}  // namespace
}  // namespace flowtap::cli
