/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All that differs between architectures: where a system call's number and arguments stand when it returns, which
 * numbers there are, and how to recognize a 32-bit task, whose numbers mean other calls.
 */
#ifndef FTAP_LIB_ARCH_BPF_H
#define FTAP_LIB_ARCH_BPF_H

#include "bpf/lib/kernel.bpf.h"

#if defined(__TARGET_ARCH_x86)

struct pt_regs {
  unsigned long di, si, dx, r10, r8, r9, bx, cx, bp, orig_ax;
} __ftap_core;

#define FTAP_TS_COMPAT 2U

static __always_inline long arch_syscall(struct pt_regs* regs) {
  return (long)regs->orig_ax; /* x32 numbers have bit 30 set and match none of ours */
}

static __always_inline bool arch_is_compat(struct task_struct* task) {
  return task->thread_info.status & FTAP_TS_COMPAT;
}

/* `n` is a constant in all calls of both functions. */
static __always_inline __u64 arch_arg(struct pt_regs* regs, int n) {
  return n == 0   ? regs->di
         : n == 1 ? regs->si
         : n == 2 ? regs->dx
         : n == 3 ? regs->r10
         : n == 4 ? regs->r8
                  : regs->r9;
}

static __always_inline __u64 arch_compat_arg(struct pt_regs* regs, int n) {
  return (__u32)(n == 0 ? regs->bx : n == 1 ? regs->cx : n == 2 ? regs->dx : n == 3 ? regs->si : regs->di);
}

enum ftap_syscall {
  FTAP_SYS_READ = 0,
  FTAP_SYS_WRITE = 1,
  FTAP_SYS_PREAD64 = 17,
  FTAP_SYS_PWRITE64 = 18,
  FTAP_SYS_READV = 19,
  FTAP_SYS_WRITEV = 20,
  FTAP_SYS_SENDFILE = 40,
  FTAP_SYS_SENDTO = 44,
  FTAP_SYS_SENDMSG = 46,
  FTAP_SYS_SPLICE = 275,
  FTAP_SYS_VMSPLICE = 278,
  FTAP_SYS_PREADV = 295,
  FTAP_SYS_PWRITEV = 296,
  FTAP_SYS_SENDMMSG = 307,
  FTAP_SYS_COPY_FILE_RANGE = 326,
  FTAP_SYS_PREADV2 = 327,
  FTAP_SYS_PWRITEV2 = 328,
};

enum ftap_compat_syscall {
  FTAP_COMPAT_SENDMMSG = 345,
  FTAP_COMPAT_SENDTO = 369,
  FTAP_COMPAT_SENDMSG = 370,
  FTAP_COMPAT_SPLICE = 313,
  FTAP_COMPAT_VMSPLICE = 316,
  FTAP_COMPAT_PREADV = 333,
  FTAP_COMPAT_PWRITEV = 334,
  FTAP_COMPAT_COPY_FILE_RANGE = 377,
  FTAP_COMPAT_PREADV2 = 378,
  FTAP_COMPAT_PWRITEV2 = 379,
};

#elif defined(__TARGET_ARCH_arm64)

struct pt_regs {
  __u64 regs[31];
  __u64 orig_x0; /* the first argument: x0 holds the result by now */
  int syscallno;
} __ftap_core;

#define FTAP_TIF_32BIT 22U

static __always_inline long arch_syscall(struct pt_regs* regs) {
  return regs->syscallno;
}

static __always_inline bool arch_is_compat(struct task_struct* task) {
  return task->thread_info.flags & 1UL << FTAP_TIF_32BIT;
}

static __always_inline __u64 arch_arg(struct pt_regs* regs, int n) {
  return n == 0   ? regs->orig_x0
         : n == 1 ? regs->regs[1]
         : n == 2 ? regs->regs[2]
         : n == 3 ? regs->regs[3]
         : n == 4 ? regs->regs[4]
                  : regs->regs[5];
}

static __always_inline __u64 arch_compat_arg(struct pt_regs* regs, int n) {
  return (__u32)arch_arg(regs, n);
}

enum ftap_syscall {
  FTAP_SYS_READ = 63,
  FTAP_SYS_WRITE = 64,
  FTAP_SYS_READV = 65,
  FTAP_SYS_WRITEV = 66,
  FTAP_SYS_PREAD64 = 67,
  FTAP_SYS_PWRITE64 = 68,
  FTAP_SYS_PREADV = 69,
  FTAP_SYS_PWRITEV = 70,
  FTAP_SYS_SENDFILE = 71,
  FTAP_SYS_VMSPLICE = 75,
  FTAP_SYS_SPLICE = 76,
  FTAP_SYS_SENDTO = 206,
  FTAP_SYS_SENDMSG = 211,
  FTAP_SYS_SENDMMSG = 269,
  FTAP_SYS_COPY_FILE_RANGE = 285,
  FTAP_SYS_PREADV2 = 286,
  FTAP_SYS_PWRITEV2 = 287,
};

enum ftap_compat_syscall {
  FTAP_COMPAT_SENDTO = 290,
  FTAP_COMPAT_SENDMSG = 296,
  FTAP_COMPAT_SPLICE = 340,
  FTAP_COMPAT_VMSPLICE = 343,
  FTAP_COMPAT_PREADV = 361,
  FTAP_COMPAT_PWRITEV = 362,
  FTAP_COMPAT_SENDMMSG = 374,
  FTAP_COMPAT_COPY_FILE_RANGE = 391,
  FTAP_COMPAT_PREADV2 = 392,
  FTAP_COMPAT_PWRITEV2 = 393,
};

#else
#error "numbers and registers of this architecture are missing here"
#endif

/* The numbers of 32-bit tasks on both architectures. */
enum ftap_compat_syscall_shared {
  FTAP_COMPAT_READ = 3,
  FTAP_COMPAT_WRITE = 4,
  FTAP_COMPAT_READV = 145,
  FTAP_COMPAT_WRITEV = 146,
  FTAP_COMPAT_PREAD64 = 180,
  FTAP_COMPAT_PWRITE64 = 181,
  FTAP_COMPAT_SENDFILE = 187,
  FTAP_COMPAT_SENDFILE64 = 239,
};

#endif /* FTAP_LIB_ARCH_BPF_H */
