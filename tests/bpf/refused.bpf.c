/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that every verifier must refuse. They only serve to see what is said then. */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} values SEC(".maps");

/* This reads what was not found. */
SEC("socket")
int unchecked_value(void* ctx) {
  __u32 key = 1;
  const volatile __u64* value = bpf_map_lookup_elem(&values, &key);
  return (int)*value;
}

/* The same after so much else that the verifier's log is longer than the part of it that is kept. */
SEC("socket")
int unchecked_value_at_length(void* ctx) {
  /* This is in assembly: unrolling a loop costs the compiler half a minute and 2 GB. */
  __asm__ volatile(".rept 4000\n r1 = 1\n .endr" ::: "r1");
  __u32 key = 1;
  const volatile __u64* value = bpf_map_lookup_elem(&values, &key);
  return (int)*value;
}

SEC("socket")
int endless_loop(void* ctx) {
  while (1) __asm__ volatile("");
  return 0;
}
