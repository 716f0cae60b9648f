// The tmpfs for flows, in a mount namespace of the test's own.
#include "stream/flows_mount.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <vector>

#include "base/fd.hpp"
#include "stream/mount_keeper.hpp"
#include "stream/only_mounting.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kFlows = 1000;

// The child prints what fails inside, and its exit status tells of it.
void in_own_namespace(const std::function<void()>& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(99);
    body();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "status of the child, which says more above";
}

void give_up_mounting() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  ASSERT_EQ(::syscall(SYS_capget, &header, data.data()), 0);
  data.at(CAP_SYS_ADMIN / 32U).effective &= ~(1U << (CAP_SYS_ADMIN % 32U));
  ASSERT_EQ(::syscall(SYS_capset, &header, data.data()), 0);
}

// Writes until it is refused. Returns how much went in, and why no more did.
std::pair<std::uint64_t, int> fill(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::vector<char> block(std::size_t{64} * 1024, 'x');
  std::uint64_t written = 0;
  while (written < 64 * kMiB) {
    const ssize_t n = ::write(file.get(), block.data(), block.size());
    if (n < 0) return {written, errno};
    written += static_cast<std::uint64_t>(n);
  }
  return {written, 0};
}

TEST(FlowsMount, HoldsNoMoreThanItsLimit) {
  in_own_namespace([] {
    const test::TempDir dir;
    const auto mounted = mount_flows(dir / "", {2 * kMiB, kFlows});
    ASSERT_TRUE(mounted) << mounted.error().what;
    EXPECT_TRUE(mounted->capped) << mounted->warning;
    const auto [written, error] = fill(mounted->path + "/big");
    EXPECT_EQ(error, ENOSPC);
    EXPECT_LE(written, 2 * kMiB);
    EXPECT_GE(written, kMiB);
    ::umount(mounted->path.c_str());
  });
}

TEST(FlowsMount, TheNextStartFindsWhatTheLastOneLeftAndSetsItsOwnLimit) {
  in_own_namespace([] {
    const test::TempDir dir;
    ASSERT_TRUE(mount_flows(dir / "", {2 * kMiB, kFlows}));
    std::ofstream(dir / "flows/kept") << "text";
    const auto again = mount_flows(dir / "", {4 * kMiB, kFlows});
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->capped && again->warning.empty()) << again->warning;
    EXPECT_TRUE(std::filesystem::exists(dir / "flows/kept"));
    EXPECT_GT(fill(dir / "flows/big").first, 3 * kMiB);
    // A limit that is smaller than what is in it is refused; what is there stays.
    const auto smaller = mount_flows(dir / "", {kMiB, kFlows});
    ASSERT_TRUE(smaller);
    EXPECT_TRUE(smaller->capped);
    EXPECT_NE(smaller->warning, "");
    EXPECT_TRUE(std::filesystem::exists(dir / "flows/kept"));
    ::umount(again->path.c_str());
  });
}

// Each flow can then have a file, however many flows there are.
TEST(FlowsMount, HoldsAsManyFilesAsThereMayBeFlows) {
  in_own_namespace([] {
    const test::TempDir dir;
    for (const std::uint64_t flows : {std::uint64_t{1'000'000}, std::uint64_t{1}, std::uint64_t{50'000}}) {
      const auto mounted = mount_flows(dir / "", {2 * kMiB, flows});
      ASSERT_TRUE(mounted && mounted->capped);
      struct statfs seen{};
      ASSERT_EQ(::statfs(mounted->path.c_str(), &seen), 0);
      EXPECT_GT(seen.f_files, flows);
      EXPECT_LT(seen.f_files, 3 * flows + 10'000);
    }
    ::umount((dir / "flows").c_str());
  });
}

TEST(FlowsMount, WithoutTheRightToMountThePlainDirectoryServes) {
  in_own_namespace([] {
    give_up_mounting();
    const test::TempDir dir;
    const auto mounted = mount_flows(dir / "", {2 * kMiB, kFlows});
    ASSERT_TRUE(mounted) << mounted.error().what;
    EXPECT_FALSE(mounted->capped);
    EXPECT_NE(mounted->warning.find("Operation not permitted (start flowtapd with CAP_SYS_ADMIN"),
              std::string::npos)
        << mounted->warning;
  });
}

TEST(FlowsMount, ASymbolicLinkIsNotFollowed) {
  const test::TempDir dir;
  std::filesystem::create_symlink("/var/tmp", dir / "flows");
  const auto refused = mount_flows(dir / "", {kMiB, kFlows});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("a symbolic link stands there"), std::string::npos)
      << refused.error().what;
  EXPECT_NE(refused.error().hint.find("remove the link"), std::string::npos) << refused.error().hint;
}

TEST(FlowsMount, WhatStandsInItsPlaceIsTold) {
  const test::TempDir dir;
  std::ofstream(dir / "flows") << "precious";
  const auto refused = mount_flows(dir / "", {kMiB, kFlows});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("Not a directory"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().hint.find("move away"), std::string::npos) << refused.error().hint;
}

// What is in it is memory that is taken already.
TEST(FlowsMount, SaysHowMuchItHolds) {
  in_own_namespace([] {
    const test::TempDir dir;
    EXPECT_EQ(flows_held(dir / ""), 0U);
    std::filesystem::create_directory(dir / "flows");
    EXPECT_EQ(flows_held(dir / ""), 0U) << "a plain directory is no memory";
    ASSERT_TRUE(mount_flows(dir / "", {4 * kMiB, kFlows}));
    std::ofstream(dir / "flows/kept") << std::string(kMiB, 'x') << std::flush;
    EXPECT_GE(flows_held(dir / ""), kMiB);
    EXPECT_LT(flows_held(dir / ""), 2 * kMiB);
    ::umount((dir / "flows").c_str());
  });
}

// A call that waits for somebody, such as recv(2) of a socket that this process was given, ends with SIGALRM.
constexpr unsigned kCallSeconds = 20;

// How a child ends that gives up all but mounting and then does this: its exit status, or 1000 + n after signal n.
int only_mounting(const std::function<void()>& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(kParent);
    ::alarm(kCallSeconds);
    if (!keep_only_mounting()) ::_exit(99);
    what();
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct Call {
  const char* name;
  std::function<void()> make;
};

// Each is allowed to root, or would fail with an errno.
TEST(OnlyMounting, AnyOtherCallEndsTheProcess) {
  static char name[] = "/bin/true";
  static std::array<char*, 2> words{name, nullptr};
  constexpr int kTree = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
  const std::vector<Call> calls = {
      {"open", [] { ::open("/", O_RDONLY | O_CLOEXEC); }},
      {"execve", [] { ::execve(name, words.data(), words.data() + 1); }},
      {"fork", [] { ::fork(); }},
      {"socket", [] { ::socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"read", [] { ::syscall(SYS_read, kParent, nullptr, 0); }},
      {"mount", [] { ::mount("none", "/nowhere", "tmpfs", 0, nullptr); }},
      {"umount2", [] { ::umount2("/nowhere", 0); }},
      {"setns", [] { ::setns(-1, 0); }},
      {"bpf", [] { ::syscall(SYS_bpf, -1, nullptr, 0); }},
      {"ptrace", [] { ::syscall(SYS_ptrace, -1, 0, nullptr, nullptr); }},
      {"mmap", [] { ::syscall(SYS_mmap, nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }},
      {"receiving from elsewhere", [] { ::recv(kHeld, nullptr, 0, 0); }},
      {"a tree that is no copy",
       [] { ::open_tree(AT_FDCWD, "/nowhere", OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW); }},
      {"a whole tree", [] { ::open_tree(AT_FDCWD, "/nowhere", kTree | AT_RECURSIVE); }},
      {"moving what is at a path", [] { ::move_mount(AT_FDCWD, "/nowhere", AT_FDCWD, "/nowhere", 0); }},
      {"moving another one", [] { ::move_mount(7, "", AT_FDCWD, "/nowhere", MOVE_MOUNT_F_EMPTY_PATH); }},
      {"moving with other flags",
       [] { ::move_mount(kHeld, "", AT_FDCWD, "/nowhere", MOVE_MOUNT_F_EMPTY_PATH | 0x100); }},
      {"a descriptor elsewhere", [] { ::dup3(kParent, 9, O_CLOEXEC); }},
  };
  for (const Call& call : calls) EXPECT_EQ(only_mounting(call.make), 1000 + SIGSYS) << call.name;
}

TEST(OnlyMounting, ItsOwnCallsReachTheKernel) {
  constexpr int kTree = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
  EXPECT_EQ(only_mounting([] {
              struct stat there{};
              const bool is_right =
                  ::open_tree(AT_FDCWD, "/nowhere", kTree) < 0 && errno == ENOENT &&
                  ::move_mount(kHeld, "", AT_FDCWD, "/nowhere", MOVE_MOUNT_F_EMPTY_PATH) < 0 &&
                  errno != ENOSYS && ::fstat(kHeld, &there) == 0 && ::dup3(2, kHeld, O_CLOEXEC) == kHeld &&
                  ::close(kHeld) == 0 && ::recv(kParent, nullptr, 0, 0) < 0 &&
                  ::send(kParent, "", 0, MSG_NOSIGNAL) < 0;
              ::_exit(is_right ? 0 : 1);
            }),
            0);
}

dev_t device_of(const std::string& path) {
  struct stat there{};
  return ::stat(path.c_str(), &there) == 0 ? there.st_dev : 0;
}

TEST(MountKeeper, PutsBackWhatItHoldsAndTakesNothingElse) {
  in_own_namespace([] {
    const test::TempDir dir;
    const std::string flows = flows_path(dir / "");
    const auto keeper = MountKeeper::start(flows);
    ASSERT_TRUE(keeper) << keeper.error().what;
    ASSERT_TRUE(mount_flows(dir / "", {kMiB, kFlows}));
    std::ofstream(flows + "/kept") << "text";
    const dev_t device = device_of(flows);
    ASSERT_TRUE((*keeper)->hold(device));
    for (int turn = 0; turn < 3; ++turn) {
      ASSERT_EQ(::umount2(flows.c_str(), MNT_DETACH), 0);
      EXPECT_FALSE(std::filesystem::exists(flows + "/kept"));
      const Status back = (*keeper)->put_back(device);
      ASSERT_TRUE(back) << back.error().what;
      EXPECT_EQ(device_of(flows), device);
      EXPECT_TRUE(std::filesystem::exists(flows + "/kept"));
    }
    // Another file system lies upon it.
    ASSERT_EQ(::mount("other", flows.c_str(), "tmpfs", 0, nullptr), 0);
    const Status other = (*keeper)->hold(device);
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().what.find("another file system is found there"), std::string::npos);
    EXPECT_FALSE((*keeper)->is_usable());
    ASSERT_EQ(::umount2(flows.c_str(), MNT_DETACH), 0);
    ASSERT_EQ(::umount2(flows.c_str(), MNT_DETACH), 0);
    EXPECT_TRUE((*keeper)->put_back(device)) << "it still holds the one of before";
    EXPECT_EQ(device_of(flows), device);
    ::umount2(flows.c_str(), MNT_DETACH);
  });
}

TEST(MountKeeper, FollowsNoLink) {
  in_own_namespace([] {
    const test::TempDir dir;
    const auto keeper = MountKeeper::start(dir / "link");
    ASSERT_TRUE(keeper) << keeper.error().what;
    ASSERT_TRUE(mount_flows(dir / "", {kMiB, kFlows}));
    std::filesystem::create_symlink("flows", dir / "link");
    EXPECT_FALSE((*keeper)->hold(device_of(dir / "flows")));
    ::umount2((dir / "flows").c_str(), MNT_DETACH);
  });
}

pid_t only_child() {
  const std::string self = std::to_string(::getpid());
  std::ifstream children("/proc/" + self + "/task/" + self + "/children");
  pid_t child = 0;
  EXPECT_TRUE(children >> child);
  return child;
}

// Its one right, and a filter for its calls.
TEST(MountKeeper, HasGivenUpAllElse) {
  in_own_namespace([] {
    const test::TempDir dir;
    const auto keeper = MountKeeper::start(flows_path(dir / ""));
    ASSERT_TRUE(keeper) << keeper.error().what;
    EXPECT_FALSE((*keeper)->hold(1)) << "it has answered, so it has given up what it gives up";
    std::ifstream status("/proc/" + std::to_string(only_child()) + "/status");
    std::map<std::string, std::string> fields;
    for (std::string key, value; status >> key && std::getline(status >> std::ws, value);)
      fields[key] = value;
    EXPECT_EQ(fields["Seccomp:"], "2");
    EXPECT_EQ(fields["NoNewPrivs:"], "1");
    for (const char* set : {"CapEff:", "CapPrm:"})
      EXPECT_EQ(std::stoull(fields[set], nullptr, 16), std::uint64_t{1} << CAP_SYS_ADMIN) << set;
  });
}

// flowtapd goes on without it.
TEST(MountKeeper, OneThatDoesNotAnswerIsNotWaitedForLong) {
  in_own_namespace([] {
    const test::TempDir dir;
    auto keeper = MountKeeper::start(flows_path(dir / ""));
    ASSERT_TRUE(keeper) << keeper.error().what;
    ASSERT_EQ(::kill(only_child(), SIGSTOP), 0);
    const Status held = (*keeper)->hold(1);
    ASSERT_FALSE(held);
    EXPECT_NE(held.error().what.find("does not answer"), std::string::npos) << held.error().what;
    EXPECT_FALSE((*keeper)->is_usable());
    keeper->reset();
  });
}

}  // namespace
}  // namespace flowtap
