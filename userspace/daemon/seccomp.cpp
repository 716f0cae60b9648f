// This lists the calls that are refused, not those that are allowed. The calls of glibc, the sanitizers and the
// libraries change with each release, and a daemon that stops on a new libc is worse than one that keeps some harmless
// calls. Without the dropped capabilities, the kernel refuses most of the list already. The filter also covers what
// root may do without any capability, and calls through which kernels were broken before. The answer is EPERM and not a
// signal, so that a library that merely tries a call goes on.
//
// Two calls stay although they look dangerous: bpf(2), since SIGHUP may switch counting on, and adjtimex(2), which tells
// how well the clock is synchronized. Setting the clock by it needs CAP_SYS_TIME, which is given up.
#include "daemon/seccomp.hpp"

#include <sched.h>
#include <seccomp.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

namespace flowtap {
namespace {

// LeakSanitizer stops the other threads with ptrace when the process ends.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kNeedsPtrace = true;
#else
constexpr bool kNeedsPtrace = false;
#endif

// Calls that this architecture does not have are negative numbers, and libseccomp skips them.
constexpr std::array kRefused = {
    // another program in our place
    SCMP_SYS(execve), SCMP_SYS(execveat),
    // other processes: memory, files, state
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    // mounts, and our root
    SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(mount_setattr),
    SCMP_SYS(open_tree), SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
    SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_by_handle_at),
    // namespaces; clone(2) with a new one is refused below
    SCMP_SYS(setns), SCMP_SYS(unshare),
    // the kernel itself and the machine's devices
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(syslog),
    // the node's accounts: swap, quotas, process accounting, names
    SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(acct),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname),
    // the clock
    SCMP_SYS(settimeofday), SCMP_SYS(stime), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime),
    // other users
    SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid),
    SCMP_SYS(setresgid), SCMP_SYS(setfsuid), SCMP_SYS(setfsgid), SCMP_SYS(setgroups),
    // keyrings
    SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
    // parts of the kernel that we do not need and that exploits use; io_uring would also bypass the filter
    SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(personality), SCMP_SYS(modify_ldt),
    SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(fanotify_init),
    SCMP_SYS(lookup_dcookie), SCMP_SYS(nfsservctl), SCMP_SYS(uselib), SCMP_SYS(vhangup)};

constexpr std::array<std::uint64_t, 7> kNamespaces = {
    CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};

// 0, or the negative errno of the first step that failed.
int describe(scmp_filter_ctx filter) {
  const std::uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
  // The numbers above belong to this architecture. Those of i386 and x32 mean other calls, and we make none of these.
  if (const int err = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, refuse); err != 0) return err;
  // This gives the kernel's own errno instead of libseccomp's ECANCELED for every error.
  if (const int err = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1); err != 0) return err;
  for (const int call : kRefused) {
    if (kNeedsPtrace && call == SCMP_SYS(ptrace)) continue;
    if (const int err = seccomp_rule_add(filter, refuse, call, 0); err != 0) return err;
  }
  for (const std::uint64_t space : kNamespaces) {
    const scmp_arg_cmp asks_for_it = SCMP_A0(SCMP_CMP_MASKED_EQ, space, space);
    if (const int err = seccomp_rule_add_array(filter, refuse, SCMP_SYS(clone), 1, &asks_for_it); err != 0)
      return err;
  }
  // The flags of clone3 are in memory, where no filter can look. With ENOSYS, glibc uses clone(2) instead.
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

}  // namespace

Status refuse_system_calls() {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                 &seccomp_release);
  int err = filter ? describe(filter.get()) : -ENOMEM;
  if (err == 0) err = seccomp_load(filter.get());
  if (err == 0) return {};
  return fail_errno(-err, "the kernel does not accept a system call filter",
                    "flowtapd runs without it; a kernel needs CONFIG_SECCOMP_FILTER=y, and a container's own "
                    "filter must allow seccomp(2)");
}

}  // namespace flowtap
