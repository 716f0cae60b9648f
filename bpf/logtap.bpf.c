/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log tap: what containers and chosen processes write, taken in the kernel.
 *
 * A pipe is tapped where it is read. Its reader (conmon, a containerd shim) sees every byte in the pipe's own order,
 * however it was written, and the writer pays nothing. Files, terminals and sockets are tapped where they are written,
 * after the fact: what a call returned has passed.
 *
 * The programs learn of a container's pipes at the exec of its first process, before its first instruction
 * (ftap_exec). They know a stream by its inode, so what a process does with its descriptors does not matter.
 *
 * Bytes are seen at the ends of the kernel's functions (bpf/lib/log/functions.bpf.h) or, where those cannot be traced, here: on
 * every system call's way out. This place sees neither io_uring nor io_submit: their bytes leave no trace here (except
 * for a pipe, as long as its reader uses neither).
 *
 * Programs of both kinds may be preempted, here from 7.x on, and then miss what the preempting task does; the kernel
 * counts that for each program (recursion_misses). At functions a second program takes what the first misses
 * (bpf/lib/log/second.bpf.h). The tracepoints of single system calls would cost other calls less (6 instead of 31 ns). But one
 * counter keeps all programs of that kind from running while any task of the CPU is in bpf(2) or was preempted there,
 * and kernels before 6.7 do not report that.
 */
#include "bpf/lib/log/enter.bpf.h"
#include "bpf/lib/log/exit.bpf.h"
#include "bpf/lib/log/functions.bpf.h"
#include "bpf/lib/log/late.bpf.h"
#include "bpf/lib/log/take.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline bool find_tapped(struct task_struct* task, __u32 fd, bool reads,
                                        struct ftap_tapped* tapped) {
  struct file* file = fd == FTAP_NO_FD ? NULL : file_of(task, fd);
  tapped->inode = NULL;
  return file && find_file(file, reads, tapped);
}

/* Where in the file the first of `n` bytes stands. Threads that share the descriptor may have moved the position on. */
static __always_inline __u64 file_position(const struct ftap_tapped* tapped, const struct ftap_call* call,
                                           __u64 n) {
  if (call->position == FTAP_AT_FILE_POSITION) return FTAP_GET(tapped->file, f_pos) - n;
  /* Linux then appends, whatever position was given (pwrite(2), BUGS). */
  if (call->append || FTAP_GET(tapped->file, f_flags) & FTAP_O_APPEND)
    return FTAP_GET(tapped->inode, i_size) - n;
  return call->position;
}

static __always_inline void take(const struct ftap_tapped* tapped, const struct ftap_call* call, __u64 n,
                                 __u64 now) {
  struct ftap_stream* stream = tapped->stream;
  stream->last = now;
  if (is_quiet(now)) {
    pass_by(stream, FTAP_LOSS_QUIET, bytes_of(call, n));
    return;
  }
  struct ftap_walk walk = {.span = {.stream = stream, .id = stream->id, .time = now}};
  if (stream->kind == FTAP_KIND_FILE) walk.span.position = file_position(tapped, call, n);
  put_call(&walk, call, n);
}

static __always_inline void end_if_closed(const struct ftap_tapped* tapped, const struct ftap_call* call) {
  if (was_end(tapped) && asked_for_some(call)) end_read(tapped);
}

/* Bytes that go into a pipe here are taken where they are read. */
static __always_inline bool goes_in(const struct ftap_tapped* tapped, const struct ftap_call* call) {
  return call->by_mode && FTAP_GET(tapped->file, f_mode) & FTAP_FMODE_WRITE;
}

/* False: it was no late read. */
static __always_inline bool took_late(const struct ftap_tapped* tapped, const struct ftap_call* call,
                                      __u64 n) {
  return n && tapped->inode && !goes_in(tapped, call) && was_late(tapped, n, false);
}

/* False: neither end is tapped. */
static __always_inline bool moved(struct task_struct* task, const struct ftap_call* call, __u64 n) {
  struct ftap_tapped tapped;
  bool from = find_tapped(task, call->fd, true, &tapped);
  if (from && !goes_in(&tapped, call))
    count_moved(tapped.stream, n);
  else if (!from)
    from = took_late(&tapped, call, n);
  bool to = find_tapped(task, call->to, false, &tapped);
  if (to) count_moved(tapped.stream, bytes_of(call, n));
  return from || to;
}

FTAP_HOOK(calls, "tp_btf/sys_exit")

SEC("tp_btf/sys_exit")
int BPF_PROG(ftap_calls, struct pt_regs* regs, long ret) {
  if (ret < 0) return 0;
  struct task_struct* task = bpf_get_current_task_btf();
  struct ftap_call call = {.position = FTAP_AT_FILE_POSITION};
  if (arch_is_compat(task))
    decode_compat(regs, &call);
  else
    decode_native(regs, &call);
  if (call.way == FTAP_WAY_NONE || is_muted()) return 0;

  if (call.way == FTAP_WAY_MOVE) {
    if (ret && !moved(task, &call, ret)) FTAP_PASS_ON(ctx, calls);
    return 0;
  }
  struct ftap_tapped tapped;
  const bool reads = call.way == FTAP_WAY_READ;
  if (!find_tapped(task, call.fd, reads, &tapped)) {
    if (!reads || !took_late(&tapped, &call, ret)) FTAP_PASS_ON(ctx, calls);
  } else if (goes_in(&tapped, &call))
    return 0;
  else if (ret)
    take(&tapped, &call, ret, bpf_ktime_get_ns());
  else if (reads)
    end_if_closed(&tapped, &call);
  return 0;
}
