// The filter is written out instead of being made by libseccomp. It lists what is allowed, so that malloc would have to be on it: the
// library frees memory after the filter holds, and a heap that shrinks is a call. The process itself allocates nothing.
#include "stream/only_mounting.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace flowtap {
namespace {

// The numbers of calls belong to one architecture. On x86-64, those of x32 are others, and none is below.
#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "which architecture's system calls are these?"
#endif

struct Argument {
  std::uint32_t index;
  std::uint32_t value;
};

struct Allowed {
  std::uint32_t call;
  std::array<Argument, 2> arguments = {};
  std::size_t checked = 0;  // of the arguments
};

constexpr std::array kAllowed = {
    Allowed{SYS_recvfrom, {{{0, kParent}}}, 1},
    Allowed{SYS_sendto, {{{0, kParent}}}, 1},
    Allowed{SYS_open_tree, {{{2, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW}}}, 1},
    Allowed{SYS_move_mount, {{{0, kHeld}, {4, MOVE_MOUNT_F_EMPTY_PATH}}}, 2},
    Allowed{SYS_dup3, {{{1, kHeld}}}, 1},
    // glibc's fstat() is the one or the other.
    Allowed{SYS_fstat},
    Allowed{SYS_newfstatat},
    Allowed{SYS_close},
    Allowed{SYS_exit_group},
};

constexpr std::size_t size_of_program() {
  std::size_t size = 4;  // the architecture, and the call's number
  for (const Allowed& allowed : kAllowed) size += 3 + 2 * allowed.checked;
  return size + 1;
}

// Of an argument only the low half counts: none is a pointer. Both architectures are little-endian.
constexpr auto make_program() {
  constexpr sock_filter kAllow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  constexpr sock_filter kEnd = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  std::array<sock_filter, size_of_program()> out{};
  std::size_t at = 0;
  out[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  out[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  out[at++] = kEnd;
  out[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (const Allowed& allowed : kAllowed) {
    // Another call goes on behind this one's lines; a wrong argument goes to the last of them.
    auto left = static_cast<std::uint8_t>(2 + 2 * allowed.checked);
    out[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed.call, 0, left);
    for (std::size_t i = 0; i < allowed.checked; ++i) {
      const Argument& argument = allowed.arguments[i];
      left = static_cast<std::uint8_t>(left - 2);
      out[at++] = BPF_STMT(
          BPF_LD | BPF_W | BPF_ABS,
          static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument.index * sizeof(std::uint64_t)));
      out[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument.value, 0, static_cast<std::uint8_t>(left - 1));
    }
    out[at++] = kAllow;
    out[at++] = kEnd;
  }
  out[at++] = kEnd;
  return out;
}

constexpr auto kProgram = make_program();

}  // namespace

bool keep_only_mounting() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  data.front().permitted = data.front().effective = std::uint32_t{1} << CAP_SYS_ADMIN;
  if (::syscall(SYS_capset, &header, data.data()) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return false;
  auto program = kProgram;
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  (void)::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &filter);
  return true;
}

}  // namespace flowtap
