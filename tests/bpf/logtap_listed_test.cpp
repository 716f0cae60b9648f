// What is listed registers itself: who enters a unit's cgroup from outside, and who becomes a listed executable.
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "kernel/open_files.hpp"
#include "tests/bpf/logtap_capture.hpp"
#include "tests/bpf/logtap_text.hpp"
#include "tests/support/cgroup.hpp"
#include "tests/support/temp_dir.hpp"

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

  // What a shell with this script writes to a connected socket that is both its outputs, as a unit's are.
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

  std::vector<flow::Enter> enters(ftap_log_rule rule) {
    std::vector<flow::Enter> found = tap_->captured().enters();
    std::erase_if(found, [rule](const flow::Enter& enter) { return enter.rule != rule; });
    return found;
  }

  std::optional<test::RunningTap> tap_;
  std::uint32_t mounts_ = 0;
  std::string shell_ = "/bin/sh";
  pid_t pid_ = 0;  // of the latest shell
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
  // As systemd's own program does before it connects the unit's outputs.
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
  const auto files = kernel::OpenFiles::load();
  ASSERT_TRUE(files) << files.error().what;
  // One that nobody else runs.
  const test::TempDir dir;
  shell_ = dir / "shell";
  std::filesystem::copy_file("/bin/sh", shell_);
  const Fd shell(::open(shell_.c_str(), O_PATH | O_CLOEXEC));
  const auto known = files->own_file(shell.get());
  ASSERT_TRUE(known) << known.error().what;
  ASSERT_TRUE(tap_->streams().list_executables({{known->device, known->inode}}, mounts_));
  const std::string text = run("echo one; " + shell_ + " -c 'echo two'; " + shell_ +
                                   " -c 'echo three' | cat; exec " + shell_ + " -c 'echo four'",
                               nullptr);
  EXPECT_EQ(text, "one\ntwo\nthree\nfour\n");
  const auto entered = enters(FTAP_RULE_PROCESS);
  ASSERT_EQ(entered.size(), 1U) << "its own pipes are no output of the process";
  EXPECT_EQ(entered[0].pid, static_cast<std::uint32_t>(pid_));
  // What cat wrote is of a process that it started.
  EXPECT_EQ(tap_->captured().of(entered[0].outputs[0].stream).whole(), text);

  run("echo elsewhere", nullptr, CLONE_NEWNS);
  ASSERT_TRUE(tap_->streams().list_executables({}, mounts_));
  run("echo not listed any more", nullptr);
  EXPECT_EQ(enters(FTAP_RULE_PROCESS).size(), 1U);
}

FLOWTAP_EACH_BACKEND(LogTapListed);

}  // namespace
}  // namespace flowtap
