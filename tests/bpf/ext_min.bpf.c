/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The smallest possible sched_ext scheduler: the kernel's defaults under a name. It makes tasks of the ext class, and
 * it can refuse one process.
 */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile int refused_tgid = 0; /* the process whose threads may not use SCHED_EXT; 0: none */

struct scx_init_task_args;

/* libbpf finds the members of the kernel's struct by name, so the part that is used is enough. */
struct sched_ext_ops {
  __s32 (*init_task)(struct task_struct* p, struct scx_init_task_args* args);
  __u64 flags;
  __u32 timeout_ms;
  char name[128];
};

struct sched_ext_entity___disallow {
  bool disallow;
} __ftap_core;

struct task_struct___disallow {
  struct sched_ext_entity___disallow scx;
} __ftap_core;

SEC("struct_ops.s/ext_min_init_task")
__s32 BPF_PROG(ext_min_init_task, struct task_struct* p, struct scx_init_task_args* args) {
  if (refused_tgid && p->tgid == refused_tgid) ((struct task_struct___disallow*)p)->scx.disallow = true;
  return 0;
}

SEC(".struct_ops.link")
struct sched_ext_ops ext_min = {
    .init_task = (void*)ext_min_init_task,
    .timeout_ms = 20000,
    .name = "ftap_ext_min",
};
