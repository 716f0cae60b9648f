/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How our schedulers count their dispatches, each exactly once and as one of the types of stats/scheds.def.
 *
 * A dispatch is a switch of a CPU to a task of the scheduler, as bpf/dispatch.bpf.c counts it for all others. Where the
 * scheduler puts a task it says how, with dispatch_as(); ops.running calls count_dispatch(), which counts what was said
 * last. So the sum stays right if a task was put somewhere and taken back before it ran, or was put twice. What the
 * kernel put there itself, without asking, is `unobserved`.
 *
 * A task that runs on without a switch (its slice was filled up, or its priority changed) is no dispatch: ops.running is
 * called for some of these too, and p->on_cpu tells them apart. The kernel sets it between the choice of the next task,
 * in which ops.running is called, and the switch (prepare_task() in kernel/sched/core.c).
 */
#ifndef FTAP_SCHEDS_DISPATCH_BPF_H
#define FTAP_SCHEDS_DISPATCH_BPF_H

#include "bpf/lib/stat.bpf.h"
#include "scheds/lib/scx.bpf.h"

/* A slot of stats/scheds.def, or FTAP_WAY_UNSAID. */
typedef __u32 ftap_way;
#define FTAP_WAY_UNSAID 0
_Static_assert(FTAP_SLOT_EXT_WSYNC_PREV_IDLE > FTAP_WAY_UNSAID, "no type of ours is in the first slot");

/* Says how the task will come to its CPU; FTAP_WAY_UNSAID takes back what was said. `way` may be NULL. */
static __always_inline void dispatch_as(ftap_way* way, __u32 slot) {
  if (way) *way = slot;
}

/* To be called in ops.running. `way` is NULL for a task without a record. */
static __always_inline void count_dispatch(const struct task_struct* p, ftap_way* way) {
  if (p->on_cpu) return;
  __u32 slot = way && *way != FTAP_WAY_UNSAID ? *way : FTAP_SLOT_EXT_UNOBSERVED;
  dispatch_as(way, FTAP_WAY_UNSAID);
  stat_add(FTAP_CLASS_EXT, slot, 1);
}

#endif /* FTAP_SCHEDS_DISPATCH_BPF_H */
