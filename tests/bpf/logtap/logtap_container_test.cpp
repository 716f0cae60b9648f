// Real containers, by podman, conmon and runc: every byte that they write is captured, and they are recognized by the
// name of their cgroup.
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBusybox = "/usr/bin/busybox";

// The ways in which a shell writes: its own writes, a process's (cat: sendfile), blocks of 1 MiB, a long line, no
// newline at the end.
constexpr const char* kScript =
    "echo hello; echo wrong >&2; seq 1 20000; seq 1 100000 > $F; cat $F; dd if=/dev/zero bs=1048576 count=3 "
    "2>/dev/null;"
    "head -c 40000 /dev/zero | tr '\\0' z; printf 'no newline'; printf 'none here either' >&2";

class LogTapContainer : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists("/usr/bin/podman") && fs::exists(kBusybox))
        << "needs podman, conmon and busybox: tools/setup test; and runc: tools/fetch-program";
    std::string folder = "/tmp/flowtap-test-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    root_ = folder;
    for (const char* name : {"bin", "dev", "etc", "proc", "sys", "tmp"})
      fs::create_directories(root_ / "fs" / name);
    fs::copy_file(kBusybox, root_ / "fs/bin/busybox");
    for (const char* name : {"cat", "dd", "echo", "head", "printf", "seq", "sh", "tr"})
      fs::create_symlink("busybox", root_ / "fs/bin" / name);
    // Where v1 hierarchies are mounted as well, runc would want their controllers.
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, nullptr), 0);
  }

  void TearDown() override {
    ::umount2("/sys/fs/cgroup", MNT_DETACH);
    fs::remove_all(root_);
  }

  // Starts a container; once it runs, its id is in the file idfile(number).
  [[nodiscard]] pid_t start(int number, const std::string& script) const {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const std::string storage = root_ / "storage";
    const std::string run = root_ / "run";
    const std::string id = idfile(number);
    const std::string rootfs = root_ / "fs";
    const std::string runc = paths::programs() + "/runc/bin/runc";
    const std::string null = root_ / "podman.out";
    static_cast<void>(!::freopen(null.c_str(), "a", stdout));
    static_cast<void>(!::freopen(null.c_str(), "a", stderr));
    ::execlp("podman", "podman", "--root", storage.c_str(), "--runroot", run.c_str(), "--storage-driver",
             "vfs", "--runtime", runc.c_str(), "--cgroup-manager", "cgroupfs", "--events-backend", "none",
             "run", "--rm", "--cidfile", id.c_str(), "--network=none", "--pids-limit=0", "--ulimit",
             "nofile=1000:1000", "--ulimit", "nproc=1000:1000", "--log-driver", "k8s-file", "--env",
             "F=/tmp/file", "--rootfs", rootfs.c_str(), "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }

  void finish(pid_t pid) const {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    std::ostringstream said;
    said << std::ifstream(root_ / "podman.out").rdbuf();
    ASSERT_EQ(status, 0) << said.str().substr(0, 2000);
  }

  [[nodiscard]] std::string idfile(int number) const { return root_ / ("id" + std::to_string(number)); }

  // The only entry of container `number`, by its id in the cgroup's name.
  [[nodiscard]] flow::Enter enter_of(int number) {
    std::string id;
    std::ifstream(idfile(number)) >> id;
    EXPECT_EQ(id.size(), 64U);
    std::vector<flow::Enter> found;
    for (const flow::Enter& enter : tap_.captured().enters())
      if (enter.cgroup_name.find(id) != std::string::npos) found.push_back(enter);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? flow::Enter{} : found.front();
  }

  // What was captured of a stream when nothing more can come. A conmon whose container lives only for a moment leaves
  // without reading its pipe to the end: then the stream ends with the cgroup. The wait is bounded.
  const test::CapturedStream& ended(const flow::Enter& enter, std::size_t output) {
    const flow::StreamNo stream = enter.outputs.at(output).stream;
    const auto is_over = [&] {
      const test::Captured& captured = tap_.captured();
      return !captured.of(stream).ends.empty() || std::ranges::count(captured.gone(), enter.cgroup) != 0;
    };
    EXPECT_TRUE(test::eventually(is_over));
    EXPECT_TRUE(tap_.streams().end(tap_.slot(stream)));
    EXPECT_EQ(tap_.slot(stream).state, FTAP_STREAM_ENDED);
    EXPECT_LE(tap_.captured().of(stream).ends.size(), 1U);
    return tap_.captured().of(stream);
  }

  fs::path root_;
  test::RunningTap tap_;
};

// What the same script writes to a pipe without a container.
std::string expected(const std::string& script, const std::string& file, int descriptor) {
  test::Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int other = descriptor == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO;
    if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) ::dup2(null, other);
    ::dup2(pipe.in.get(), descriptor);
    const std::string variable = "F=" + file;
    ::execl(kBusybox, "env", variable.c_str(), kBusybox, "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  pipe.in.reset();
  std::string text = test::read_all(pipe.out.get(), 65536);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
  return text;
}

TEST_F(LogTapContainer, EveryByteOfBothOutputs) {
  finish(start(0, kScript));
  const flow::Enter enter = enter_of(0);
  EXPECT_EQ(enter.comm, "sh");
  for (const int i : {0, 1}) {
    const std::string text = expected(kScript, root_ / "file", i + 1);
    const auto& got = ended(enter, static_cast<std::size_t>(i));
    EXPECT_TRUE(got.whole() == text) << got.captured() << " of " << text.size();
    EXPECT_GT(text.size(), i == 0 ? 3'000'000U : 10U);
  }
}

TEST_F(LogTapContainer, ManyThatLiveForAMoment) {
  constexpr int kContainers = 8;
  std::vector<pid_t> running;
  running.reserve(kContainers);
  for (int i = 0; i < kContainers; ++i)
    running.push_back(start(i, "exec echo only line of " + std::to_string(i)));
  for (const pid_t pid : running) finish(pid);
  for (int i = 0; i < kContainers; ++i)
    EXPECT_EQ(ended(enter_of(i), 0).whole(), "only line of " + std::to_string(i) + "\n");
}

}  // namespace
}  // namespace flowtap
