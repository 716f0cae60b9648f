/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task of a higher class (SCHED_FIFO, deadline) takes a CPU from one of ours. The task that lost the CPU in the
 * middle of a slice, and those in the local queue there, would wait until the taker sleeps, whatever other CPU is idle.
 * So all of them are given to ops.enqueue once more.
 *
 * Kernels before 6.19 allow this request only in ops.cpu_release. Since then a tracing program has to make it, and
 * ops.cpu_release is on its way out. tell_of_taken_cpus() in struct_ops.hpp uses whichever the kernel has.
 */
#ifndef FTAP_SCHEDS_TAKEN_BPF_H
#define FTAP_SCHEDS_TAKEN_BPF_H

#include "bpf/lib/ext_self.bpf.h"
#include "scheds/lib/scx.bpf.h"

/* Priorities below this belong to the higher classes; a lent priority counts, too (include/linux/sched/prio.h). */
#define FTAP_MAX_RT_PRIO 100

/*
 * libbpf ignores everything from the last ___ on when it looks for the name in the kernel. The kernel means to drop the
 * first function, and to give the second its name.
 */
__u32 scx_bpf_reenqueue_local(void) __ksym __weak;
void scx_bpf_reenqueue_local___v2___since_6_19(void) __ksym __weak;

SEC("struct_ops/cpu_taken")
void BPF_PROG(cpu_taken, __s32 cpu, struct scx_cpu_release_args* args) {
  if (bpf_ksym_exists(scx_bpf_reenqueue_local)) scx_bpf_reenqueue_local();
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(cpu_taken_by, bool preempt, struct task_struct* prev, struct task_struct* next) {
  if (next->prio >= FTAP_MAX_RT_PRIO || prev->prio < FTAP_MAX_RT_PRIO) return 0;
  /* This outlives its scheduler by a moment, and another scheduler's queues are not ours. */
  if (!ext_counts_itself()) return 0;
  if (bpf_ksym_exists(scx_bpf_reenqueue_local___v2___since_6_19)) scx_bpf_reenqueue_local___v2___since_6_19();
  return 0;
}

#endif /* FTAP_SCHEDS_TAKEN_BPF_H */
