// Which calls the filter refuses and which it lets pass. Each test has its own child, as a filter cannot be removed.
#include "daemon/seccomp.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <thread>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace flowtap {
namespace {

constexpr int kNoFilter = 200;

// The exit status of a child that installs the filter and then does this; 1000 + n after signal n.
int filtered(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(refuse_system_calls() ? what() : kNoFilter);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int errno_of(long result) {
  return result < 0 ? errno : 0;
}

struct Call {
  const char* name;
  std::function<long()> make;
};

// The arguments are allowed for root, or give another error than EPERM.
const std::vector<Call>& refused_calls() {
  static char name[] = "/bin/true";
  static std::array<char*, 2> words{name, nullptr};
  static const std::vector<Call> kCalls = {
      {"execve", [] { return ::execve(name, words.data(), words.data() + 1); }},
      {"execveat", [] { return ::syscall(SYS_execveat, AT_FDCWD, name, words.data(), nullptr, 0); }},
#ifndef __SANITIZE_ADDRESS__
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
#endif
      {"process_vm_readv",
       [] { return ::syscall(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0); }},
      {"mount", [] { return ::syscall(SYS_mount, nullptr, nullptr, nullptr, 0, nullptr); }},
      {"umount2", [] { return ::syscall(SYS_umount2, nullptr, 0); }},
      {"open_tree", [] { return ::syscall(SYS_open_tree, -1, "none", 0); }},
      {"pivot_root", [] { return ::syscall(SYS_pivot_root, nullptr, nullptr); }},
      {"chroot", [] { return ::chroot("/"); }},
      {"setns", [] { return ::setns(-1, 0); }},
      {"unshare", [] { return ::unshare(0); }},
      {"clone of a namespace",
       [] { return ::syscall(SYS_clone, CLONE_NEWNS | CLONE_FS | SIGCHLD, nullptr, nullptr, nullptr, 0); }},
      {"init_module", [] { return ::syscall(SYS_init_module, nullptr, 0, nullptr); }},
      {"reboot", [] { return ::syscall(SYS_reboot, 0, 0, 0, nullptr); }},
      {"clock_settime", [] { return ::syscall(SYS_clock_settime, CLOCK_MONOTONIC, nullptr); }},
      {"setuid", [] { return ::syscall(SYS_setuid, ::getuid()); }},
      {"keyctl", [] { return ::syscall(SYS_keyctl, -1); }},
      {"userfaultfd", [] { return ::syscall(SYS_userfaultfd, -1); }},
      {"perf_event_open", [] { return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
      {"io_uring_setup", [] { return ::syscall(SYS_io_uring_setup, 0, nullptr); }},
  };
  return kCalls;
}

TEST(Seccomp, WhatAnIntruderWouldCallIsRefused) {
  for (const Call& call : refused_calls())
    EXPECT_EQ(filtered([&call] { return errno_of(call.make()); }), EPERM) << call.name;
}

// glibc falls back to clone(2) only after this answer.
TEST(Seccomp, Clone3IsNotThere) {
  EXPECT_EQ(filtered([] { return errno_of(::syscall(SYS_clone3, nullptr, 0)); }), ENOSYS);
}

#ifdef __x86_64__
TEST(Seccomp, OtherArchitecturesHaveNoWayPast) {
  constexpr long kX32 = 0x40000000;
  EXPECT_EQ(filtered([] { return errno_of(::syscall(kX32 | SYS_getpid)); }), EPERM);
  const int i386 = filtered([] {
    long answer = 20;  // getpid NOLINT(misc-const-correctness): the kernel writes it
    asm volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
    return answer < 0 ? static_cast<int>(-answer) : 0;
  });
  EXPECT_TRUE(i386 == EPERM || i386 == 1000 + SIGSEGV) << i386 << " (SIGSEGV: a kernel without i386)";
}
#endif

// 0, or the number of the first call that failed.
int ordinary_work() {
  int step = 0;
  const auto failed = [&step](bool good) { return ++step, !good; };
  if (failed(read_file("/proc/self/status").has_value())) return step;
  bool ran = false;
  std::thread([&ran] { ran = true; }).join();
  if (failed(ran)) return step;
  if (failed(Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)).valid())) return step;
  addrinfo* found = nullptr;
  if (failed(::getaddrinfo("127.0.0.1", "80", nullptr, &found) == 0)) return step;
  ::freeaddrinfo(found);
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(page != MAP_FAILED && ::munmap(page, 4096) == 0)) return step;
  if (failed(Fd(::inotify_init1(IN_CLOEXEC)).valid())) return step;
  if (failed(Fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))).valid())) return step;
  if (failed(::setpriority(PRIO_PROCESS, 0, 10) == 0)) return step;
  const sched_param idle{};
  if (failed(::sched_setscheduler(0, SCHED_BATCH, &idle) == 0)) return step;
  // The call reached the kernel, which found the arguments wrong.
  if (failed(::syscall(SYS_bpf, -1, nullptr, 0) < 0 && errno != ENOSYS)) return step;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (failed(child > 0 && ::waitpid(child, nullptr, 0) == child)) return step;
  return 0;
}

TEST(Seccomp, OrdinaryWorkPasses) {
  EXPECT_EQ(filtered(ordinary_work), 0);
}

// The calls of NVML: it is loaded, opens devices, uses ioctl(2) on them, and maps them.
TEST(Seccomp, LibrariesAndDevicesCanBeUsed) {
  EXPECT_EQ(filtered([] {
              void* const library = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
              if (library == nullptr || ::dlsym(library, "cos") == nullptr) return 1;
              const Fd device(::open("/dev/zero", O_RDWR | O_CLOEXEC));
              if (!device.valid()) return 2;
              int nothing = 0;
              if (::ioctl(device.get(), 0xC020462A, &nothing) == 0 || errno == EPERM) return 3;
              constexpr std::size_t kPage = 4096;
              void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, device.get(), 0);
              return page == MAP_FAILED || ::munmap(page, kPage) != 0 || ::dlclose(library) != 0 ? 4 : 0;
            }),
            0);
}

TEST(Seccomp, ASecondFilterIsNoError) {
  EXPECT_EQ(filtered([] { return refuse_system_calls() ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace flowtap
