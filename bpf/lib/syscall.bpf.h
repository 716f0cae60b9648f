/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The system calls that move bytes, in one form: in which direction, on which descriptors, and where in memory the
 * bytes are.
 */
#ifndef FTAP_LIB_SYSCALL_BPF_H
#define FTAP_LIB_SYSCALL_BPF_H

#include "bpf/lib/arch.bpf.h"

enum ftap_way {
  FTAP_WAY_NONE, /* none of ours */
  FTAP_WAY_READ,
  FTAP_WAY_WRITE,
  FTAP_WAY_MOVE, /* from a descriptor to another, inside the kernel; or memory in a shape that we do not follow */
};

enum ftap_memory {
  FTAP_MEMORY_FLAT,
  FTAP_MEMORY_VECTOR,          /* `length` struct iovec */
  FTAP_MEMORY_MESSAGE,         /* one struct msghdr */
  FTAP_MEMORY_MESSAGES,        /* as many struct mmsghdr as the call returned */
  FTAP_MEMORY_COMPAT_MESSAGES, /* the same for a 32-bit task */
};

#define FTAP_NO_FD 0xffffffffU
#define FTAP_AT_FILE_POSITION (~0ULL)
#define FTAP_RWF_APPEND 0x10U

struct ftap_call {
  __u32 way;
  __u32 shape; /* enum ftap_memory */
  __u32 fd;    /* read or written; MOVE: from where, or FTAP_NO_FD */
  __u32 to;    /* MOVE: where to, or FTAP_NO_FD */
  __u64 memory;
  __u64 length;   /* bytes asked for, or segments */
  __u64 position; /* where in the file, or FTAP_AT_FILE_POSITION */
  bool append;    /* asked for by this call's flags */
  bool by_mode;   /* where the descriptor can be written to, this is a write and none of ours */
};

static __always_inline void is_way(struct ftap_call* call, __u32 way, __u32 shape) {
  call->way = way;
  call->shape = shape;
}

static __always_inline void is_move(struct ftap_call* call, __u64 from, __u64 to) {
  call->way = FTAP_WAY_MOVE;
  call->fd = from;
  call->to = to;
}

/*
 * For a 32-bit task, whose vectors have another layout: reads and writes of one buffer are taken, everything else is
 * counted. (Its socketcall(2) is left out; no log reader is such a task.)
 */
static __always_inline void decode_compat(struct pt_regs* regs, struct ftap_call* call) {
  __u64 first = arch_compat_arg(regs, 0);
  call->fd = first;
  call->memory = arch_compat_arg(regs, 1);
  call->length = arch_compat_arg(regs, 2);
  switch (arch_syscall(regs)) {
    case FTAP_COMPAT_READ:
      is_way(call, FTAP_WAY_READ, FTAP_MEMORY_FLAT);
      break;
    case FTAP_COMPAT_WRITE:
    case FTAP_COMPAT_SENDTO:
      is_way(call, FTAP_WAY_WRITE, FTAP_MEMORY_FLAT);
      break;
    case FTAP_COMPAT_READV:
    case FTAP_COMPAT_PREADV:
    case FTAP_COMPAT_PREADV2:
    case FTAP_COMPAT_PREAD64:
      is_move(call, first, FTAP_NO_FD);
      break;
    case FTAP_COMPAT_WRITEV:
    case FTAP_COMPAT_PWRITEV:
    case FTAP_COMPAT_PWRITEV2:
    case FTAP_COMPAT_PWRITE64:
    case FTAP_COMPAT_SENDMSG:
      is_move(call, FTAP_NO_FD, first);
      break;
    case FTAP_COMPAT_SENDMMSG:
      is_move(call, FTAP_NO_FD, first);
      call->shape = FTAP_MEMORY_COMPAT_MESSAGES;
      break;
    case FTAP_COMPAT_VMSPLICE:
      call->by_mode = true;
      is_move(call, first, FTAP_NO_FD);
      break;
    case FTAP_COMPAT_SENDFILE:
    case FTAP_COMPAT_SENDFILE64:
      is_move(call, arch_compat_arg(regs, 1), first);
      break;
    case FTAP_COMPAT_SPLICE:
    case FTAP_COMPAT_COPY_FILE_RANGE:
      is_move(call, first, arch_compat_arg(regs, 2));
      break;
    default:
      break;
  }
}

static __always_inline void decode_native(struct pt_regs* regs, struct ftap_call* call) {
  __u64 first = arch_arg(regs, 0);
  call->fd = first;
  call->memory = arch_arg(regs, 1);
  call->length = arch_arg(regs, 2);
  switch (arch_syscall(regs)) {
    case FTAP_SYS_PREAD64:
      call->position = arch_arg(regs, 3);
      /* fallthrough */
    case FTAP_SYS_READ:
      is_way(call, FTAP_WAY_READ, FTAP_MEMORY_FLAT);
      break;
    case FTAP_SYS_PWRITE64:
      call->position = arch_arg(regs, 3);
      /* fallthrough */
    case FTAP_SYS_WRITE:
    case FTAP_SYS_SENDTO:
      is_way(call, FTAP_WAY_WRITE, FTAP_MEMORY_FLAT);
      break;
    case FTAP_SYS_VMSPLICE:
      call->by_mode = true; /* on a read end it copies as readv does */
      /* fallthrough */
    /* Read ends of pipes know neither positions nor flags. */
    case FTAP_SYS_READV:
    case FTAP_SYS_PREADV:
    case FTAP_SYS_PREADV2:
      is_way(call, FTAP_WAY_READ, FTAP_MEMORY_VECTOR);
      break;
    case FTAP_SYS_PWRITEV2:
      call->append = arch_arg(regs, 5) & FTAP_RWF_APPEND;
      /* fallthrough */
    case FTAP_SYS_PWRITEV:
      call->position = arch_arg(regs, 3); /* -1 in pwritev2 is FTAP_AT_FILE_POSITION */
      /* fallthrough */
    case FTAP_SYS_WRITEV:
      is_way(call, FTAP_WAY_WRITE, FTAP_MEMORY_VECTOR);
      break;
    case FTAP_SYS_SENDMSG:
      is_way(call, FTAP_WAY_WRITE, FTAP_MEMORY_MESSAGE);
      break;
    case FTAP_SYS_SENDMMSG:
      is_way(call, FTAP_WAY_WRITE, FTAP_MEMORY_MESSAGES);
      break;
    /* tee(2) is not here: it takes nothing out, so its bytes pass later. */
    case FTAP_SYS_SENDFILE:
      is_move(call, arch_arg(regs, 1), first);
      break;
    case FTAP_SYS_SPLICE:
    case FTAP_SYS_COPY_FILE_RANGE:
      is_move(call, first, arch_arg(regs, 2));
      break;
    default:
      break;
  }
}

#endif /* FTAP_LIB_SYSCALL_BPF_H */
