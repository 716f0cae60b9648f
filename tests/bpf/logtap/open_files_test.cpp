// What the iterator says about our own descriptors, which we know.
#include "kernel/log/open_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/fd.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/first_thread.hpp"

namespace flowtap::kernel {
namespace {

// A child whose standard output and error are the two given descriptors, until it is destroyed.
class Child {
 public:
  Child(int out, int err, bool own_mounts = false) {
    std::array<int, 2> started{};
    if (::pipe2(started.data(), O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      if (own_mounts && ::unshare(CLONE_NEWNS) != 0) ::_exit(1);
      ::close(started[0]);
      if (::write(started[1], "x", 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    char c = 0;
    ::close(started[1]);
    EXPECT_EQ(::read(started[0], &c, 1), 1);
    ::close(started[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

Result<std::vector<OpenFile>> list(std::optional<pid_t> only = std::nullopt) {
  const auto files = OpenFiles::load();
  if (!files) return std::unexpected(files.error());
  return files->list(only);
}

const OpenFile* find(const std::vector<OpenFile>& all, pid_t pid, unsigned fd) {
  const auto at = std::ranges::find_if(
      all, [=](const OpenFile& f) { return f.pid == static_cast<std::uint32_t>(pid) && f.fd == fd; });
  return at == all.end() ? nullptr : &*at;
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  Fd read;
  Fd write;
};

TEST(OpenFiles, FindsTheOutputsOfOneProcessAndWhatTheyAre) {
  const Pipe pipe;
  const Fd file(::open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  const Child child(pipe.write.get(), file.get());
  const auto all = list(child.pid());
  ASSERT_TRUE(all) << all.error().what;

  struct stat st{};
  ASSERT_EQ(::fstat(pipe.write.get(), &st), 0);
  const OpenFile* out = find(*all, child.pid(), 1);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(out->kind, FTAP_KIND_PIPE);
  EXPECT_EQ(out->inode, st.st_ino);
  EXPECT_EQ(out->device, (::major(st.st_dev) << 20U) | ::minor(st.st_dev));
  EXPECT_TRUE(out->writable);
  EXPECT_FALSE(out->readable);
  EXPECT_FALSE(out->enters_container);

  const OpenFile* err = find(*all, child.pid(), 2);
  ASSERT_NE(err, nullptr);
  EXPECT_EQ(err->kind, FTAP_KIND_FILE);
  ASSERT_EQ(::fstat(file.get(), &st), 0);
  EXPECT_EQ(err->inode, st.st_ino);
  struct statfs system{};
  ASSERT_EQ(::fstatfs(file.get(), &system), 0);
  EXPECT_EQ(err->file_system, static_cast<std::uint64_t>(system.f_type));
  EXPECT_TRUE(std::ranges::all_of(*all, [&](const OpenFile& f) {
    return f.pid == static_cast<std::uint32_t>(child.pid());
  })) << "of that process alone";
}

TEST(OpenFiles, KnowsWhatIsInAPipeAndHowManyMayReadIt) {
  const Pipe pipe;
  const Child child(pipe.write.get(), pipe.write.get());
  const auto out_of = [&] {
    const auto all = list(child.pid());
    const OpenFile* out = all ? find(*all, child.pid(), 1) : nullptr;
    return out == nullptr ? OpenFile{} : *out;
  };
  const std::string text(10'000, 'x');  // three buffers
  ASSERT_EQ(::write(pipe.write.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(out_of().waiting, text.size());
  std::string read(4'000, ' ');
  ASSERT_EQ(::read(pipe.read.get(), read.data(), read.size()), static_cast<ssize_t>(read.size()));
  EXPECT_EQ(out_of().waiting, text.size() - read.size());
  EXPECT_GT(out_of().readers, 0U);
  ASSERT_GT(::fcntl(pipe.read.get(), F_SETPIPE_SZ, 1 << 20), 0);
  EXPECT_EQ(out_of().waiting, text.size() - read.size());
}

// A thread may have descriptors of its own, and read with one of them what is some container's log.
TEST(OpenFiles, FindsAThreadThatReadsWithADescriptorOfItsOwn) {
  const Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::thread([&] {
      if (::unshare(CLONE_FILES) != 0) ::_exit(1);
      ::dup2(pipe.read.get(), 77);
      while (true) ::pause();
    }).detach();
    while (true) ::pause();
  }
  EXPECT_TRUE(test::eventually([&] {
    const auto all = list();
    const OpenFile* reads = all ? find(*all, pid, 77) : nullptr;
    return reads != nullptr && reads->readable;
  }));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

// A runtime's main thread may do this: the others go on with the descriptors.
TEST(OpenFiles, FindsThoseOfAProcessWhoseMainThreadHasEnded) {
  const Pipe pipe;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pipe.read.get(), STDIN_FILENO);
    std::thread([] {
      while (true) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);  // ends only this thread
  }
  ASSERT_TRUE(test::eventually([pid] { return test::first_thread_has_ended(std::to_string(pid)); }));
  const auto all = list();
  const auto own = list(pid);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  ASSERT_TRUE(all && own);
  for (const auto* found : {&*all, &*own}) {
    const OpenFile* reader = find(*found, pid, STDIN_FILENO);
    ASSERT_NE(reader, nullptr);
    EXPECT_TRUE(reader->readable);
    EXPECT_EQ(reader->kind, FTAP_KIND_PIPE);
  }
}

TEST(OpenFiles, FindsWhoReadsAPipe) {
  const Pipe pipe;
  const auto all = list();
  ASSERT_TRUE(all) << all.error().what;
  struct stat st{};
  ASSERT_EQ(::fstat(pipe.read.get(), &st), 0);
  const OpenFile* own = find(*all, ::getpid(), static_cast<unsigned>(pipe.read.get()));
  ASSERT_NE(own, nullptr);
  EXPECT_TRUE(own->readable);
  EXPECT_EQ(own->inode, st.st_ino);
  EXPECT_EQ(find(*all, ::getpid(), static_cast<unsigned>(pipe.write.get())), nullptr)
      << "a write end that is no standard output";
}

TEST(OpenFiles, TellsWhatTheKernelCallsOurOwnFile) {
  const auto files = OpenFiles::load();
  ASSERT_TRUE(files) << files.error().what;
  const Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  struct stat st{};
  ASSERT_EQ(::fstat(file.get(), &st), 0);
  const auto own = files->own_file(file.get());
  ASSERT_TRUE(own) << own.error().what;
  EXPECT_EQ(own->inode, st.st_ino);
  EXPECT_NE(own->device, 0U);
  const Pipe pipe;
  EXPECT_FALSE(files->own_file(pipe.write.get())) << "a pipe is no file";
  EXPECT_FALSE(files->own_file(9999));
}

TEST(OpenFiles, TellsWhatAProcessRunsAndWhere) {
  const auto files = OpenFiles::load();
  ASSERT_TRUE(files) << files.error().what;
  const Fd exe(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto program = files->own_file(exe.get());
  ASSERT_TRUE(program) << program.error().what;
  const Child child(1, 2);
  const auto of_child = files->list(child.pid());
  ASSERT_TRUE(of_child) << of_child.error().what;
  const OpenFile* out = find(*of_child, child.pid(), 1);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(out->exe_inode, program->inode);
  EXPECT_EQ(out->exe_device, program->device);
  EXPECT_TRUE(out->runs_as_parent);
  EXPECT_FALSE(program->runs_as_parent) << "nobody runs tests from a test";
  struct stat mounts{};
  ASSERT_EQ(::stat("/proc/self/ns/mnt", &mounts), 0);
  EXPECT_EQ(out->mounts, mounts.st_ino);
}

TEST(OpenFiles, AProcessInMountsOfItsOwnIsWhereAContainerBegins) {
  const Pipe pipe;
  const Child child(pipe.write.get(), pipe.write.get(), true);
  const auto all = list(child.pid());
  ASSERT_TRUE(all) << all.error().what;
  const OpenFile* out = find(*all, child.pid(), 1);
  ASSERT_NE(out, nullptr);
  EXPECT_TRUE(out->enters_container);
  EXPECT_NE(out->start_time, 0U);
  struct stat mounts{};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(child.pid()) + "/ns/mnt").c_str(), &mounts), 0);
  EXPECT_EQ(out->mounts, mounts.st_ino);
}

TEST(OpenFiles, TellsWhichCgroupsAProcessIsBelow) {
  const test::ScratchCgroup inner("flowtap-files-" + std::to_string(::getpid()) + "/a/b");
  const Child child(STDOUT_FILENO, STDERR_FILENO);
  std::ofstream(inner.path() + "/cgroup.procs") << child.pid() << std::flush;
  const auto files = list(child.pid());
  ASSERT_TRUE(files);
  ASSERT_FALSE(files->empty());
  EXPECT_EQ(files->front().cgroup, inner.id());
  std::filesystem::path above = std::filesystem::path(inner.path()).parent_path();
  for (std::size_t i = 0; i < 3; ++i, above = above.parent_path()) {
    struct stat status{};
    ASSERT_EQ(::stat(above.c_str(), &status), 0);
    EXPECT_EQ(files->front().cgroups_above.at(i), status.st_ino) << above;
  }
  EXPECT_EQ(files->front().cgroups_above.at(3), 0U) << "the root was the last";
}

TEST(OpenFiles, NoSuchProcessIsAnError) {
  const pid_t gone = Child(1, 2).pid();
  const auto all = list(gone);
  EXPECT_TRUE(!all || all->empty());
}

}  // namespace
}  // namespace flowtap::kernel
