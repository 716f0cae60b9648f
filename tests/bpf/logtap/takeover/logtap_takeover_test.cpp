// Capture goes on while the service is away, and what is pinned is taken over as it is.
#include <bpf/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/bpf/logtap/takeover/logtap_takeover.hpp"
#include "tests/support/containers/cgroup.hpp"

namespace flowtap {
namespace {

using test::kPrograms;
using test::LogTapTakeover;

class LogTapQuiet : public test::PinnedTapOfEach {
 protected:
  // Makes it look as if nobody had drained the ring for that long.
  void be_quiet() const {
    const Fd pinned(bpf_obj_get((options_.bpffs + "/flowtap/" + kernel::log_abi() + "/control").c_str()));
    auto control = kernel::MapView<ftap_log_control>::map(pinned.get(), 1);
    ASSERT_TRUE(control);
    control->elements()[0].heartbeat -= FTAP_LOG_QUIET_NS + 1;  // may wrap, as the programs' sum does
  }
};

TEST_P(LogTapQuiet, NobodyDrainsForTenMinutes) {
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

  be_quiet();
  pass("not heard");
  EXPECT_EQ((*ring)->backlog(), backlog) << "nothing is emitted";
  const auto slots = test::opened(streams->sweep());
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_EQ(slots[0].passed, 14U);
  EXPECT_EQ(slots[0].lost[FTAP_LOSS_QUIET], 9U);

  // This call returns a number of messages.
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

// For a container that begins meanwhile it is known how much of its output nobody has, and from then on all of it is
// taken.
TEST_P(LogTapQuiet, AContainerThatBeginsThenHasAHoleAndIsHeardAgain) {
  const test::ScratchCgroup cgroup;
  const test::Pipe go;
  test::Pipe out;
  const auto live = start();
  auto streams = live.streams();
  auto ring = live.ring();
  ASSERT_TRUE(streams && ring);
  be_quiet();
  const pid_t pid = ::fork();
  if (pid == 0) {
    cgroup.join();
    if (::unshare(CLONE_NEWNS) != 0) ::_exit(126);
    ::dup2(go.out.get(), STDIN_FILENO);
    ::dup2(out.in.get(), STDOUT_FILENO);
    ::execlp("sh", "sh", "-c", "echo hole; read x; echo heard", nullptr);
    ::_exit(127);
  }
  out.in.reset();
  std::array<char, 64> buffer{};
  EXPECT_EQ(::read(out.out.get(), buffer.data(), buffer.size()), 5);
  const auto own = [&cgroup](const kernel::LogStream& slot) { return slot.target.cgroup == cgroup.id(); };
  auto slots = streams->sweep();
  auto slot = std::ranges::find_if(slots, own);
  ASSERT_NE(slot, slots.end()) << "it has registered";
  EXPECT_EQ(slot->passed, 5U);
  EXPECT_EQ(slot->lost[FTAP_LOSS_QUIET], 5U);

  streams->beat();
  test::write_all(go.in.get(), "\n");
  EXPECT_EQ(test::read_all(out.out.get(), 64), "heard\n");
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  slots = streams->sweep();
  slot = std::ranges::find_if(slots, own);
  ASSERT_NE(slot, slots.end());
  EXPECT_EQ(slot->passed, 11U);
  EXPECT_EQ(slot->lost[FTAP_LOSS_QUIET], 5U);
  EXPECT_EQ(slot->state, FTAP_STREAM_ENDED);
}

FLOWTAP_EACH_BACKEND(LogTapQuiet);

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
  options_.first_stream = 7;  // lower than the running tap has reached
  EXPECT_EQ(open(start(), other), 1001U);
  EXPECT_EQ(test::opened(start().streams()->sweep()).size(), 2U);
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

TEST_F(LogTapTakeover, WhatNobodyHasTakenIsToldAsItGoes) {
  std::uint64_t backlog = 0;
  {
    const test::Pipe pipe;
    const auto live = start();
    auto streams = live.streams();
    const auto ring = live.ring();
    ASSERT_TRUE(streams && ring);
    ASSERT_TRUE(streams->open(test::target_of(pipe.out.get(), FTAP_KIND_PIPE)));
    streams->beat();
    std::array<char, 100> text{};
    ASSERT_EQ(::write(pipe.in.get(), text.data(), text.size()), 100);
    ASSERT_EQ(::read(pipe.out.get(), text.data(), text.size()), 100);
    backlog = (*ring)->backlog();
    EXPECT_GT(backlog, text.size());
  }
  const auto detached = kernel::detach_log_tap(options_.bpffs);
  ASSERT_TRUE(detached);
  EXPECT_EQ(detached->waiting, backlog);
  EXPECT_TRUE(detached->found);
  const auto nothing = kernel::detach_log_tap(options_.bpffs);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->waiting, 0U);
  EXPECT_FALSE(nothing->found);
}

// Drops it for the calling process.
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
  const bool right = test::holds_in_child([this] {
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

}  // namespace
}  // namespace flowtap
