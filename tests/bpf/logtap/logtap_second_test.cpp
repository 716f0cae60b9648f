// Each event of a function with two programs is handled by one of them, whichever of them is kept from running.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "tests/bpf/logtap/logtap_second.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using test::LogTapSecond;

constexpr int kEvents = 200;

// Each line in a read, or a write, of its own.
struct Passed {
  flow::StreamNo pipe = 0;
  flow::StreamNo file = 0;
  flow::StreamNo socket = 0;
  std::string text;
};

class LogTapSecondEvents : public LogTapSecond {
 protected:
  Passed pass(const std::string& name) {
    Passed passed;
    test::Pipe pipe;
    const Fd file(::open((root_ + "/" + name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const Fd socket(ends[0]);
    const Fd other(ends[1]);
    passed.pipe = tap(pipe.out.get());
    passed.file = tap(file.get(), FTAP_KIND_FILE);
    passed.socket = tap(socket.get(), FTAP_KIND_SOCKET);
    std::array<char, 64> buffer{};
    for (int i = 0; i < kEvents; ++i) {
      const std::string line = "line " + std::to_string(i) + " of what somebody says\n";
      passed.text += line;
      test::write_all(pipe.in.get(), line);
      EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(line.size()));
      test::write_all(file.get(), line);
      test::write_all(socket.get(), line);
      EXPECT_EQ(::read(other.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(line.size()));
    }
    pipe.in.reset();
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), 0);
    return passed;
  }

  void expect_all(const Passed& passed) {
    const auto& got = captured();
    for (const flow::StreamNo stream : {passed.pipe, passed.file, passed.socket})
      EXPECT_TRUE(got.of(stream).whole() == passed.text)
          << got.of(stream).captured() << " of " << passed.text.size();
    ASSERT_EQ(got.of(passed.pipe).ends.size(), 1U);
    EXPECT_EQ(got.of(passed.pipe).ends[0].passed, passed.text.size());
  }
};

TEST_F(LogTapSecondEvents, AreEachHadByOneOfTheTwo) {
  // The kernel runs later attachments first; otherwise both programs would have all.
  expect_all(pass("both"));
  EXPECT_LE(slots_->rescued(), kept_by_kernel());
  const std::uint64_t before = slots_->rescued();
  lead(false, true);
  expect_all(pass("second"));
  EXPECT_EQ(slots_->rescued() - before, 3U * kEvents + 1);
  lead(true, false);
  const std::uint64_t kept = kept_by_kernel();
  const Passed passed = pass("first");
  if (kept_by_kernel() == kept) expect_all(passed);
  EXPECT_EQ(slots_->rescued() - before, 3U * kEvents + 1);
}

TEST_F(LogTapSecond, ANoteIsVoidWhenItsTaskHasSlept) {
  const test::Pipe pipe;
  const flow::StreamNo stream = tap(pipe.out.get());
  std::array<char, 8> buffer{};
  const auto pass = [&](const std::string& text) {
    test::write_all(pipe.in.get(), text);
    EXPECT_EQ(::read(pipe.out.get(), buffer.data(), buffer.size()), static_cast<ssize_t>(text.size()));
  };
  lead_pipes(true, false);
  pass("one ");
  lead_pipes(false, true);
  std::this_thread::sleep_for(1ms);
  pass("two");
  if (kept_by_kernel() != 0) return;
  EXPECT_EQ(captured().of(stream).whole(), "one two");
}

}  // namespace
}  // namespace flowtap
