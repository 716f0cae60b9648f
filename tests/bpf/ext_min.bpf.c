/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The smallest sched_ext scheduler there is: the kernel's defaults under a name. Only to make tasks of the
 * ext class. */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* libbpf finds the members of the kernel's struct by name, so the part that is used is enough. */
struct sched_ext_ops {
  __u64 flags;
  __u32 timeout_ms;
  char name[128];
};

SEC(".struct_ops.link")
struct sched_ext_ops ext_min = {
    .timeout_ms = 20000,
    .name = "ftap_ext_min",
};
