/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One event, counted in each way: not at all, in our slot, and in the maps that others use. Each way is here
 * once and repeated sixteen times (sixteen keys, each looked up), since a single count is as short as the
 * noise and partly hides behind the kernel's own work. Each way also comes as a program on sched_switch,
 * where it is used, and as one that the kernel can run over and over by itself: that is quiet, but has
 * everything in the nearest cache.
 */
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/stat.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define FTAP_COUNTERS(name, map_type) \
  struct {                            \
    __uint(type, map_type);           \
    __uint(max_entries, 64);          \
    __type(key, __u32);               \
    __type(value, __u64);             \
  } name SEC(".maps")

FTAP_COUNTERS(ftap_of_parray, BPF_MAP_TYPE_PERCPU_ARRAY);
FTAP_COUNTERS(ftap_of_phash, BPF_MAP_TYPE_PERCPU_HASH);
FTAP_COUNTERS(ftap_of_hash, BPF_MAP_TYPE_HASH);

static __always_inline void count_empty(__u32 key) {}
static __always_inline void count_none(__u32 key) {}

static __always_inline void count_slot(__u32 key) {
  stat_add(FTAP_CLASS_KERNEL, key, 1);
}

static __always_inline void count_array(__u32 key) {
  __u64* n = bpf_map_lookup_elem(&ftap_of_parray, &key);
  if (n) *n += 1;
}

static __always_inline void count_atomic(__u32 key) {
  __u64* n = bpf_map_lookup_elem(&ftap_of_parray, &key);
  if (n) __sync_fetch_and_add(n, 1);
}

static __always_inline void count_phash(__u32 key) {
  __u64* n = bpf_map_lookup_elem(&ftap_of_phash, &key);
  if (n) *n += 1;
}

static __always_inline void count_hash(__u32 key) {
  __u64* n = bpf_map_lookup_elem(&ftap_of_hash, &key);
  if (n) __sync_fetch_and_add(n, 1);
}

#define FTAP_PROGRAM(section, name, way, times)                         \
  SEC(section)                                                          \
  int name(void* ctx) {                                                 \
    _Pragma("unroll") for (__u32 i = 0; i < times; i++) count_##way(i); \
    return 0;                                                           \
  }
#define FTAP_WAY(way)                                          \
  FTAP_PROGRAM("tp_btf/sched_switch", ftap_##way, way, 1)      \
  FTAP_PROGRAM("tp_btf/sched_switch", ftap_##way##16, way, 16) \
  FTAP_PROGRAM("tc", ftap_##way##_tc, way, 1)                  \
  FTAP_PROGRAM("tc", ftap_##way##16_tc, way, 16)

/* Twice, so that the difference between two programs that do nothing shows the noise. */
FTAP_WAY(empty)
FTAP_WAY(none)
FTAP_WAY(slot)
FTAP_WAY(array)
FTAP_WAY(atomic)
FTAP_WAY(phash)
FTAP_WAY(hash)
