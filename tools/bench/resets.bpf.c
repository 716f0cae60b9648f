/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts a known number of events, spread over some keys, in one map per way. The benchmark measures how
 * userspace takes the counts out meanwhile. An event is a getppid() of the benchmark's own process.
 */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define FTAP_MAX_KEYS 1024

/* Written by userspace between the rounds. The process counts on one thread, so `next` needs no atomics. */
__u32 ftap_tgid;
__u32 ftap_keys; /* a power of two, at most FTAP_MAX_KEYS */
__u32 ftap_next;
const volatile __u64 ftap_syscall = 0; /* the number of getppid on this architecture; set before load */

struct ftap_key_block {
  __u64 slot[FTAP_MAX_KEYS];
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to the highest possible CPU + 1 */
  __type(key, __u32);
  __type(value, struct ftap_key_block);
} ftap_mapped SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, FTAP_MAX_KEYS);
  __type(key, __u32);
  __type(value, __u64);
} ftap_parray SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_HASH);
  __uint(max_entries, 2 * FTAP_MAX_KEYS);
  __type(key, __u32);
  __type(value, __u64);
} ftap_phash SEC(".maps");

static __always_inline bool is_event(__u64 syscall) {
  return syscall == ftap_syscall && bpf_get_current_pid_tgid() >> 32 == ftap_tgid;
}

static __always_inline __u32 next_key(void) {
  return ftap_next++ & (ftap_keys - 1) & (FTAP_MAX_KEYS - 1);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(ftap_to_mapped, void* regs, __u64 syscall) {
  if (!is_event(syscall)) return 0;
  __u32 cpu = bpf_get_smp_processor_id();
  struct ftap_key_block* block = bpf_map_lookup_elem(&ftap_mapped, &cpu);
  __u32 key = next_key();
  if (block) __sync_fetch_and_add(&block->slot[key], 1);
  return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(ftap_to_parray, void* regs, __u64 syscall) {
  if (!is_event(syscall)) return 0;
  __u32 key = next_key();
  __u64* n = bpf_map_lookup_elem(&ftap_parray, &key);
  if (n) *n += 1;
  return 0;
}

/* For readers that delete the keys that they read: the first event of a key creates it again. */
SEC("tp_btf/sys_enter")
int BPF_PROG(ftap_to_phash, void* regs, __u64 syscall) {
  if (!is_event(syscall)) return 0;
  __u32 key = next_key();
  __u64 first = 1;
  __u64* n = bpf_map_lookup_elem(&ftap_phash, &key);
  if (n)
    *n += 1;
  else
    bpf_map_update_elem(&ftap_phash, &key, &first, BPF_ANY);
  return 0;
}
