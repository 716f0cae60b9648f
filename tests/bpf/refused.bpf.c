/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that every verifier must refuse. Only to see what is said then. */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} values SEC(".maps");

/* What was not found is read. */
SEC("socket")
int unchecked_value(void* ctx) {
  __u32 key = 1;
  const volatile __u64* value = bpf_map_lookup_elem(&values, &key);
  return (int)*value;
}

/* The same, behind so much else that the verifier's log is longer than what is kept of it. */
SEC("socket")
int unchecked_value_at_length(void* ctx) {
  volatile __u64 sum = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 2000; ++i) sum += i;
  __u32 key = 1;
  const volatile __u64* value = bpf_map_lookup_elem(&values, &key);
  return (int)(*value + sum);
}

SEC("socket")
int endless_loop(void* ctx) {
  while (1) __asm__ volatile("");
  return 0;
}
