// What is listed registers itself: a process that enters a unit's cgroup from outside, and one that becomes a listed
// executable.
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "kernel/log/open_files.hpp"
#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using test::ScratchCgroup;

class LogTapListed : public ::testing::TestWithParam<kernel::LogBackend> {
 protected:
  void SetUp() override {
    FLOWTAP_SKIP_IF_REFUSED(GetParam());
    tap_.emplace(64U << 20U, GetParam());
    struct stat mounts{};
    ASSERT_EQ(::stat("/proc/self/ns/mnt", &mounts), 0);
    mounts_ = static_cast<std::uint32_t>(mounts.st_ino);
  }

  // What a shell with this script writes to a connected socket that is both its outputs, like a unit's.
  std::string run(const std::string& script, const ScratchCgroup* cgroup, int namespaces = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const Fd own(ends[0]);
    Fd unit(ends[1]);
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (cgroup != nullptr) cgroup->join();
      if (namespaces != 0 && ::unshare(namespaces) != 0) ::_exit(126);
      ::dup2(unit.get(), STDOUT_FILENO);
      ::dup2(unit.get(), STDERR_FILENO);
      ::execl(shell_.c_str(), "sh", "-c", script.c_str(), nullptr);
      ::_exit(127);
    }
    unit.reset();
    std::string text = test::read_all(own.get(), 8192);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    pid_ = pid;
    return text;
  }

  // From now on this lists a program of the test's own, which nobody else runs.
  void list_own_shell() {
    const auto files = kernel::OpenFiles::load();
    ASSERT_TRUE(files) << files.error().what;
    shell_ = dir_ / "shell";
    std::filesystem::copy_file("/bin/sh", shell_);
    const Fd shell(::open(shell_.c_str(), O_PATH | O_CLOEXEC));
    const auto known = files->own_file(shell.get());
    ASSERT_TRUE(known) << known.error().what;
    ASSERT_TRUE(tap_->streams().list_executables({{known->device, known->inode}}, mounts_));
  }

  // A shell that was started with this descriptor as both its outputs. Its script's `read` waits until let_go().
  class Shell {
   public:
    Shell(const std::string& shell, int out, const std::string& script,
          const ScratchCgroup* cgroup = nullptr) {
      pid_ = ::fork();
      if (pid_ == 0) {
        if (cgroup != nullptr) cgroup->join();
        ::dup2(go_.out.get(), STDIN_FILENO);
        ::dup2(alive_.in.get(), 9);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        ::execl(shell.c_str(), "sh", "-c", script.c_str(), nullptr);
        ::_exit(127);
      }
      alive_.in.reset();
    }
    [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    void let_go() const { test::write_all(go_.in.get(), "go\n"); }
    void wait() const { EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_); }
    // Waits until all that it has started has ended, too.
    void wait_for_all() const { EXPECT_EQ(test::read_all(alive_.out.get(), 16), ""); }

   private:
    pid_t pid_ = 0;
    test::Pipe go_;
    test::Pipe alive_;
  };

  // The places where a daemon may log: a file, a terminal, a connected socket. They stay open here.
  struct Place {
    std::string what;
    Fd own;
    Fd other{};  // the other end, of a place that ends when nobody holds it
  };
  std::vector<Place> places() const {
    std::vector<Place> all;
    all.push_back(
        {"file", Fd(::open((dir_ / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600))});
    Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    EXPECT_EQ(::unlockpt(master.get()), 0);
    Fd terminal(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    all.push_back({"terminal", std::move(terminal), std::move(master)});
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    all.push_back({"socket", Fd(ends[0]), Fd(ends[1])});
    return all;
  }

  // What was captured from each run in turn: "PID: bytes".
  std::vector<std::string> runs(ftap_log_rule rule) {
    std::vector<std::string> all;
    for (const flow::Enter& enter : enters(rule))
      all.push_back(std::to_string(enter.pid) + ": " + tap_->captured().of(enter.outputs[0].stream).whole());
    return all;
  }
  std::size_t open_streams(ftap_log_rule rule) {
    return static_cast<std::size_t>(
        std::ranges::count_if(tap_->streams().sweep(), [rule](const kernel::LogStream& stream) {
          return stream.state == FTAP_STREAM_OPEN && stream.target.rule == rule;
        }));
  }
  static std::string ran(const Shell& shell, const std::string& text) {
    return std::to_string(shell.pid()) + ": " + text;
  }

  std::vector<flow::Enter> enters(ftap_log_rule rule) {
    std::vector<flow::Enter> found = tap_->captured().enters();
    std::erase_if(found, [rule](const flow::Enter& enter) { return enter.rule != rule; });
    return found;
  }

  const test::TempDir dir_;
  std::optional<test::RunningTap> tap_;
  std::uint32_t mounts_ = 0;
  std::string shell_ = "/bin/sh";
  pid_t pid_ = 0;  // pid of the latest shell
  std::string slice_ = "ftap" + std::to_string(::getpid()) + ".slice";
  std::string unit_ = "ftap" + std::to_string(::getpid()) + ".service";
};

TEST_P(LogTapListed, AUnitEachTimeThatItIsEntered) {
  ASSERT_TRUE(tap_->streams().list_units({"other.service", unit_}));
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  for (std::size_t i = 1; i <= 3; ++i) {
    const std::string text = run("echo out; echo err >&2; sh -c 'echo child' | cat", &cgroup);
    EXPECT_EQ(text, "out\nerr\nchild\n");
    const auto entered = enters(FTAP_RULE_UNIT);
    ASSERT_EQ(entered.size(), i) << "and its children enter nothing";
    const flow::Enter& enter = entered.back();
    EXPECT_EQ(enter.cgroup_name, unit_);
    EXPECT_EQ(enter.parent_name, slice_);
    EXPECT_EQ(enter.cgroup, cgroup.id());
    EXPECT_EQ(enter.pid, static_cast<std::uint32_t>(pid_));
    EXPECT_EQ(enter.outputs[0].kind, FTAP_KIND_SOCKET);
    EXPECT_EQ(enter.outputs[0], enter.outputs[1]) << "one socket for both";
    EXPECT_EQ(tap_->captured().of(enter.outputs[0].stream).whole(), text);
    const auto slot = tap_->slot(enter.outputs[0].stream);
    EXPECT_EQ(slot.target.rule, FTAP_RULE_UNIT);
    EXPECT_EQ(slot.target.start_time, enter.start_time);
  }
  ASSERT_TRUE(tap_->streams().list_units({"other.service"}));
  run("echo not listed any more", &cgroup);
  EXPECT_EQ(enters(FTAP_RULE_UNIT).size(), 3U);
}

TEST_P(LogTapListed, AUnitThatHasItsOutputsFromWhoStartsItHasNone) {
  // This is what systemd's own program does before it connects the unit's outputs.
  ASSERT_TRUE(tap_->streams().list_units({unit_}));
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const pid_t pid = ::fork();
  if (pid == 0) {
    cgroup.join();
    ::execl("/bin/true", "true", nullptr);
    ::_exit(127);
  }
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_TRUE(enters(FTAP_RULE_UNIT).empty());
}

TEST_P(LogTapListed, ANameAloneIsNoUnit) {
  ASSERT_TRUE(tap_->streams().list_units({unit_}));
  for (const std::string& place : {unit_, slice_ + "x/" + unit_, slice_ + "/a.scope/" + unit_,
                                   "runtime/" + slice_ + "/" + unit_, slice_ + "/" + unit_ + "/" + unit_}) {
    const ScratchCgroup cgroup(place);
    run("echo not the unit", &cgroup);
    run("echo not the unit", &cgroup, CLONE_NEWNS);
  }
  EXPECT_TRUE(enters(FTAP_RULE_UNIT).empty());
}

TEST_P(LogTapListed, AnExecutableInItsMountNamespaceUnlessItStartsItself) {
  list_own_shell();
  const std::string text = run("echo one; " + shell_ + " -c 'echo two'; " + shell_ +
                                   " -c 'echo three' | cat; exec " + shell_ + " -c 'echo four'",
                               nullptr);
  EXPECT_EQ(text, "one\ntwo\nthree\nfour\n");
  const auto entered = enters(FTAP_RULE_PROCESS);
  ASSERT_EQ(entered.size(), 1U) << "its own pipes are no output of the process";
  EXPECT_EQ(entered[0].pid, static_cast<std::uint32_t>(pid_));
  // A process that it has started ran cat, so what cat wrote belongs to it.
  EXPECT_EQ(tap_->captured().of(entered[0].outputs[0].stream).whole(), text);

  run("echo elsewhere", nullptr, CLONE_NEWNS);
  ASSERT_TRUE(tap_->streams().list_executables({}, mounts_));
  run("echo not listed any more", nullptr);
  EXPECT_EQ(enters(FTAP_RULE_PROCESS).size(), 1U);
}

using Runs = std::vector<std::string>;

TEST_P(LogTapListed, EachRunOntoThePlaceOfTheOneBeforeHasItsOwnStream) {
  list_own_shell();
  for (const Place& place : places()) {
    SCOPED_TRACE(place.what);
    Runs wanted = runs(FTAP_RULE_PROCESS);
    for (const std::string text : {"one\n", "two\n", "three\n"}) {
      const Shell shell(shell_, place.own.get(), "echo " + text);
      shell.wait();
      wanted.push_back(ran(shell, text));
    }
    EXPECT_EQ(runs(FTAP_RULE_PROCESS), wanted);
    EXPECT_EQ(open_streams(FTAP_RULE_PROCESS), 1U) << "those before have ended";
    const auto entered = enters(FTAP_RULE_PROCESS);
    for (std::size_t i = entered.size() - 3; i + 1 < entered.size(); ++i)
      EXPECT_EQ(tap_->captured().of(entered[i].outputs[0].stream).ends.size(), 1U);
    for (const kernel::LogStream& stream : tap_->streams().sweep()) ASSERT_TRUE(tap_->streams().end(stream));
  }
}

TEST_P(LogTapListed, AUnitMadeAnewOntoThePlaceOfTheOneBeforeHasItsOwnStream) {
  ASSERT_TRUE(tap_->streams().list_units({unit_}));
  for (const Place& place : places()) {
    SCOPED_TRACE(place.what);
    Runs wanted = runs(FTAP_RULE_UNIT);
    for (const std::string text : {"one\n", "two\n", "three\n"}) {
      const ScratchCgroup cgroup(slice_ + "/" + unit_);
      const Shell before(shell_, place.own.get(), "echo before " + text, &cgroup);
      before.wait();
      // Like ExecStartPre= and ExecStart=, these two come into one cgroup.
      const Shell shell(shell_, place.own.get(), "echo " + text, &cgroup);
      shell.wait();
      wanted.push_back(ran(before, std::string("before ").append(text).append(text)));
    }
    EXPECT_EQ(runs(FTAP_RULE_UNIT), wanted);
    EXPECT_EQ(open_streams(FTAP_RULE_UNIT), 1U) << "those before have ended";
    for (const kernel::LogStream& stream : tap_->streams().sweep()) ASSERT_TRUE(tap_->streams().end(stream));
  }
}

TEST_P(LogTapListed, WhoLivesKeepsItsPlace) {
  list_own_shell();
  ASSERT_TRUE(tap_->streams().list_units({unit_, "other-" + unit_}));
  const ScratchCgroup cgroup(slice_ + "/" + unit_);
  const ScratchCgroup other("other-" + slice_ + "/other-" + unit_);
  for (const Place& place : places()) {
    SCOPED_TRACE(place.what);
    Runs wanted = runs(FTAP_RULE_PROCESS);
    const Shell first(shell_, place.own.get(), "echo one; read x; echo two");
    // Its stream exists once something of it was captured.
    ASSERT_TRUE(test::eventually([&] {
      const Runs now = runs(FTAP_RULE_PROCESS);
      return now.size() > wanted.size() && now.back().ends_with("one\n");
    }));
    const Shell second(shell_, place.own.get(), "echo not captured");
    second.wait();
    first.let_go();
    first.wait();
    wanted.push_back(ran(first, "one\ntwo\n"));
    EXPECT_EQ(runs(FTAP_RULE_PROCESS), wanted);
    for (const kernel::LogStream& stream : tap_->streams().sweep()) ASSERT_TRUE(tap_->streams().end(stream));
  }
  const std::vector<Place> all = places();
  const Place& file = all.front();
  const Shell unit("/bin/sh", file.own.get(), "echo one", &cgroup);
  unit.wait();
  const Shell second("/bin/sh", file.own.get(), "echo two", &other);
  second.wait();
  EXPECT_EQ(runs(FTAP_RULE_UNIT), (Runs{ran(unit, "one\ntwo\n")}))
      << "all that is written there is the unit's";
}

TEST_P(LogTapListed, WhatGoesOnInTheBackgroundStaysTheSameRuns) {
  list_own_shell();
  for (const Place& place : places()) {
    SCOPED_TRACE(place.what);
    Runs wanted = runs(FTAP_RULE_PROCESS);
    // It forks twice, into a session of its own and with another program, as daemons do. (A shell gives what it puts
    // into the background /dev/null for its input, before any other redirection.)
    const Shell daemon(shell_, place.own.get(),
                       "echo one; exec 8<&0; setsid sh -c '(read x; echo two; exec sh -c \"echo three; " +
                           shell_ + " -c \\\"echo four\\\"\") <&8 &' &");
    daemon.wait();
    const Shell again(shell_, place.own.get(), "echo not captured");
    again.wait();
    daemon.let_go();
    daemon.wait_for_all();
    wanted.push_back(ran(daemon, "one\ntwo\nthree\nfour\n"));
    EXPECT_EQ(runs(FTAP_RULE_PROCESS), wanted);
    const Shell next(shell_, place.own.get(), "echo next");
    next.wait();
    wanted.push_back(ran(next, "next\n"));
    EXPECT_EQ(runs(FTAP_RULE_PROCESS), wanted);
    for (const kernel::LogStream& stream : tap_->streams().sweep()) ASSERT_TRUE(tap_->streams().end(stream));
  }
}

// procfs has no hook: programs at functions do not see what is written there.
TEST_P(LogTapListed, AFileThatIsNotSeenIsSaid) {
  list_own_shell();
  const test::Pipe nothing;
  const Shell shell("/bin/sh", nothing.in.get(), "exec " + shell_ + " -c 'echo x' >/proc/self/comm 2>&1");
  shell.wait();
  const auto entered = enters(FTAP_RULE_PROCESS);
  ASSERT_EQ(entered.size(), 1U);
  const bool seen = GetParam() == kernel::LogBackend::kSysExit;
  for (const auto& output : entered[0].outputs) {
    EXPECT_EQ(output.kind, FTAP_KIND_FILE);
    EXPECT_NE(output.inode, 0U);
    EXPECT_EQ(output.stream != 0, seen);
  }
  EXPECT_EQ(runs(FTAP_RULE_PROCESS), Runs{ran(shell, seen ? "x\n" : "")});
  EXPECT_EQ(open_streams(FTAP_RULE_PROCESS), seen ? 1U : 0U);
}

FLOWTAP_EACH_BACKEND(LogTapListed);

}  // namespace
}  // namespace flowtap
