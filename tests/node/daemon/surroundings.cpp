#include "tests/node/daemon/surroundings.hpp"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::test {
namespace {

void need(bool done, const char* what) {
  if (done) return;
  std::perror(what);  // the child's stderr is what the test shows
  ::_exit(125);
}

}  // namespace

std::function<void()> without_capabilities(std::initializer_list<int> capabilities) {
  return [all = std::vector<int>(capabilities)] {
    // root does not get by exec either what is not in the bounding set.
    for (const int capability : all)
      need(::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0, "cannot drop a capability");
  };
}

std::function<void()> only_capabilities(std::initializer_list<int> capabilities) {
  return [kept = std::vector<int>(capabilities)] {
    for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
      if (std::ranges::find(kept, capability) == kept.end())
        need(::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0, "cannot drop a capability");
  };
}

std::function<void()> hiding(std::initializer_list<const char*> paths) {
  return [all = std::vector<const char*>(paths)] {
    need(::unshare(CLONE_NEWNS) == 0, "cannot make a mount namespace");
    need(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "cannot make mounts private");
    for (const char* path : all)
      need(::mount("none", path, "tmpfs", MS_RDONLY, "size=4k") == 0 || errno == ENOENT,
           "cannot hide a directory");
  };
}

std::function<void()> in_own_network() {
  return [] {
    need(::unshare(CLONE_NEWNET) == 0, "cannot make a network namespace");
    const Fd any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::strncpy(loopback.ifr_name, "lo", sizeof(loopback.ifr_name) - 1);
    loopback.ifr_flags = IFF_UP;
    need(::ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0, "cannot bring the loopback interface up");
  };
}

std::function<void()> refusing_call(unsigned call, int error, std::optional<unsigned> first) {
  return [=] {
    const auto refuse = SECCOMP_RET_ERRNO | (static_cast<unsigned>(error) & SECCOMP_RET_DATA);
    // Another call goes on to "allow". Any argument goes straight to "refuse". Otherwise the low word of argument 0 decides.
    std::vector<sock_filter> program = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, static_cast<unsigned char>(first ? 3 : 1)),
    };
    if (first) {
      program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, *first, 0, 1));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, refuse));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    need(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "cannot set no_new_privs");
    need(::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &filter) == 0, "cannot install a filter");
  };
}

std::function<void()> refusing_bpf(int error, std::optional<unsigned> command) {
  return refusing_call(__NR_bpf, error, command);
}

}  // namespace flowtap::test
