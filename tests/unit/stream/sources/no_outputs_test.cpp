// What is told of a process that cannot be tapped, since the kernel lists no output of it.
#include "stream/sources/no_outputs.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

std::string stat_of(const std::string& comm, const std::string& state, const std::string& flags) {
  return "7 (" + comm + ") " + state + " 2 0 0 0 -1 " + flags + " 0 0 0 0 1 0 0 0 20 0 1 0 23 0 0\n";
}

TEST(NoOutputs, OfAThreadOfTheKernel) {
  test::FileTree proc;
  proc.file("7/stat", stat_of("kworker) 0:1", "I", "69238880"));
  const Error error = why_no_outputs(7, proc.root());
  EXPECT_EQ(error.what, "process 7 (kworker) 0:1) is a thread of the kernel, which has no output");
  EXPECT_TRUE(error.hint.contains("dmesg")) << error.hint;
  EXPECT_EQ(error.code, ESRCH);
}

TEST(NoOutputs, OfAProcessThatHasEnded) {
  test::FileTree proc;
  proc.file("7/stat", stat_of("sh", "Z", "4194304"));
  EXPECT_EQ(why_no_outputs(7, proc.root()).what, "process 7 (sh) has ended");
  EXPECT_EQ(why_no_outputs(8, proc.root()).what, "there is no process 8 any more");
  EXPECT_EQ(why_no_outputs(8, proc.root()).code, ESRCH);
}

TEST(NoOutputs, OfAProcessWithoutAny) {
  test::FileTree proc;
  proc.file("7/stat", stat_of("sh", "S", "4194304"));
  const Error error = why_no_outputs(7, proc.root());
  EXPECT_EQ(error.what, "process 7 (sh) has neither standard output nor standard error open");
  EXPECT_EQ(error.code, ENOTSUP);
}

TEST(NoOutputs, OfAProcessThatMayNotBeLookedAt) {
  test::FileTree proc;
  proc.file("7/stat", stat_of("init", "S", "4194304"));
  proc.file("7/fd/x", "");
  std::filesystem::create_symlink("pipe:[1]", proc.root() + "/7/fd/1");
  const pid_t child = ::fork();
  if (child == 0) {
    // Another user may not enter it, as with the descriptors of another user's process.
    std::filesystem::permissions(proc.root() + "/7/fd", std::filesystem::perms::owner_all);
    std::filesystem::permissions(proc.root(), std::filesystem::perms::all);
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const Error error = why_no_outputs(7, proc.root());
    const bool is_told = error.code == EACCES && error.what.contains("/7/fd/1: Permission denied") &&
                         error.hint.contains("CAP_SYS_PTRACE");
    ::_exit(is_told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (::geteuid() != 0) GTEST_SKIP() << "it is our own here";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace flowtap
