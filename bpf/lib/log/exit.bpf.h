/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is looked at when a process ends. A pipe's bytes are taken where they are read, and a reader may leave before it
 * has read all: it is killed, or it gives up waiting. The kernel then drops what is in the pipe, and tells nobody. So
 * each process that ends notes how much was written to the pipes that are its outputs. The part of this that has not
 * passed when the stream ends was read by nobody.
 */
#ifndef FTAP_LIB_LOG_EXIT_BPF_H
#define FTAP_LIB_LOG_EXIT_BPF_H

#include "bpf/lib/log/members.bpf.h"
#include "bpf/lib/log/take.bpf.h"
#include "bpf/lib/pipe.bpf.h"

#define FTAP_NOTE_TRIES 8 /* each failed one is another CPU's success */

/*
 * What has passed is read first. If a reader has taken bytes out of the pipe that are not counted yet, the sum becomes
 * too small, but never too large. So no gap is reported where nothing is missing.
 */
static __always_inline void note_written(struct task_struct* task, __u32 fd) {
  struct ftap_tapped tapped;
  struct file* file = file_of(task, fd);
  if (!file || !find_file(file, true, &tapped)) return;
  __u64 written = *(volatile __u64*)&tapped.stream->bytes;
  written += waiting_in(pipe_of(file));
  /* Several processes may end at the same moment, and the largest sum counts. */
  for (int i = 0; i < FTAP_NOTE_TRIES; i++) {
    __u64 known = *(volatile __u64*)&tapped.stream->written;
    if (written <= known) return;
    if (__sync_val_compare_and_swap(&tapped.stream->written, known, written) == known) return;
  }
}

FTAP_HOOK(exit, "tp_btf/sched_process_exit")

SEC("tp_btf/sched_process_exit")
int BPF_PROG(ftap_exit, struct task_struct* task) {
  if (!BPF_CORE_READ(task, signal, live.counter)) { /* no thread is left */
    __u32 tgid = task->tgid;
    if (bpf_map_lookup_elem(&ftap_members, &tgid)) bpf_map_delete_elem(&ftap_members, &tgid);
    if (!is_muted()) {
      note_written(task, 1);
      note_written(task, 2);
    }
  }
  FTAP_PASS_ON(ctx, exit);
  return 0;
}

#endif /* FTAP_LIB_LOG_EXIT_BPF_H */
