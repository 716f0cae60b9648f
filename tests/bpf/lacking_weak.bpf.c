/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls a kernel function that no kernel has, and that the object could do without. It only serves to see what is said
 * then.
 */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

int scx_bpf_of_no_kernel(void) __ksym __weak;

SEC("syscall")
int lacking_weak(void* ctx) {
  return scx_bpf_of_no_kernel();
}
