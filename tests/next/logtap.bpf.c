/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tomorrow's programs: today's, and a hook more. On the way back it is a hook that the newer build does not have. */
#include "bpf/logtap.bpf.c"

FTAP_HOOK(wait, "tp_btf/sched_process_wait")

SEC("tp_btf/sched_process_wait")
int BPF_PROG(ftap_wait, void* pid) {
  FTAP_PASS_ON(ctx, wait);
  return 0;
}
