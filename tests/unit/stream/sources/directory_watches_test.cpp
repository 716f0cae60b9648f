// Why a directory is not watched is told of each one, whatever became of the others.
#include "stream/sources/files/directory_watches.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

// The kernel counts watches for each user namespace, too. In a new one, only its own count.
bool may_have_one_watch() {
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream most("/proc/sys/user/max_inotify_watches");
  return static_cast<bool>(most << 1 << std::flush);
}

enum Seen : int { kAsItShould, kNotPrepared, kNotOpened, kFirst, kFull, kNowhere, kAgain };

Seen watch_three(const std::string& one, const std::string& other) {
  if (!may_have_one_watch()) return kNotPrepared;
  auto walk = PathWalk::open("/");
  auto watches = DirectoryWatches::open();
  if (!walk || !watches) return kNotOpened;
  const auto first = watches->watch(*walk, one);
  if (!first) return kFirst;
  const auto full = watches->watch(*walk, other);
  if (full || full.error().code != ENOSPC) return kFull;
  const auto nowhere = watches->watch(*walk, one + "/nowhere");
  if (nowhere || nowhere.error().code == ENOSPC) return kNowhere;
  const auto again = watches->watch(*walk, one);
  return again && *again == *first ? kAsItShould : kAgain;
}

TEST(DirectoryWatches, EachIsToldWhyItIsNotWatched) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir / "one");
  std::filesystem::create_directory(dir / "other");
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(watch_three(dir / "one", dir / "other"));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotPrepared) GTEST_SKIP() << "no user namespace can be made here";
  EXPECT_EQ(WEXITSTATUS(status), kAsItShould);
}

}  // namespace
}  // namespace flowtap
