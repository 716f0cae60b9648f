/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A CPU that hangs in the kernel. Where a test asks for it, the kernel runs a program of this type with preemption
 * disabled (bpf_prog_test_run_raw_tp() of net/bpf/test_run.c), and this one takes its time.
 */
#include "bpf/lib/kernel.bpf.h"
#include "scheds/lib/iter_num.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define HANGS_NS 3000000000ULL
#define MOST_TURNS (1 << 20) /* turns of each loop; the kernel's own limit is higher */

SEC("raw_tp")
int hang(void* ctx) {
  __u64 begin = bpf_ktime_get_ns();
  __u32 i, j;
  bpf_for(i, 0, MOST_TURNS) {
    bpf_for(j, 0, MOST_TURNS) {
      if (bpf_ktime_get_ns() - begin > HANGS_NS) return 0;
    }
  }
  return 0;
}
