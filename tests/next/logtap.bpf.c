/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tomorrow's programs: today's, and a hook more. On the way back it is a hook that the newer build does not have. */
#include "bpf/logtap.bpf.c"

FTAP_HOOK(fork, "tp_btf/sched_process_fork")

SEC("tp_btf/sched_process_fork")
int BPF_PROG(ftap_fork, struct task_struct* parent, struct task_struct* child) {
  FTAP_PASS_ON(ctx, fork);
  return 0;
}
