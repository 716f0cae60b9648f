/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counter of bpf_for(): the kernel's type, which is the same everywhere. Headers before Linux 6.4 do not have it. */
#ifndef FTAP_SCHEDS_ITER_NUM_BPF_H
#define FTAP_SCHEDS_ITER_NUM_BPF_H

#include <linux/bpf.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
struct bpf_iter_num {
  __u64 opaque[1];
} __attribute__((aligned(8)));
#endif

#endif
