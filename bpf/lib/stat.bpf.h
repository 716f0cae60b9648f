/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting: stat_add() for a counter row of stats/kernel.def, stat_observe() for a histogram row.
 *
 * One block per possible CPU in an mmap-able array (a PERCPU_ARRAY cannot be mapped). The adds are atomic
 * because userspace takes the counts out with an atomic exchange at any moment, and interrupts may count on
 * the same CPU.
 */
#ifndef FTAP_LIB_STAT_BPF_H
#define FTAP_LIB_STAT_BPF_H

#include "bpf/lib/kernel.bpf.h"
#include "stats/slots.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to the highest possible CPU + 1 */
  __type(key, __u32);
  __type(value, struct ftap_block);
} ftap_slots SEC(".maps");

static __always_inline struct ftap_block* stat_block(void) {
  __u32 cpu = bpf_get_smp_processor_id();
  return bpf_map_lookup_elem(&ftap_slots, &cpu);
}

/* Like stat_add, for a program that counts several things and looks its block up only once. */
static __always_inline void stat_add_to(struct ftap_block* block, __u32 class, __u32 slot, __u64 n) {
  if (class >= FTAP_NR_CLASSES || slot >= FTAP_NR_SLOTS) return;
  __sync_fetch_and_add(&block->slot[class][slot], n);
}

/* Adds n to the slot of this CPU. */
static __always_inline void stat_add(__u32 class, __u32 slot, __u64 n) {
  struct ftap_block* block = stat_block();
  if (block) stat_add_to(block, class, slot, n);
}

/* Puts a value into the histogram that begins at `slot`. */
static __always_inline void stat_observe_to(struct ftap_block* block, __u32 class, __u32 slot, __u64 value) {
  stat_add_to(block, class, slot + ftap_log2_bucket(value), 1);
  stat_add_to(block, class, slot + FTAP_HIST_SUM, value);
}

#endif /* FTAP_LIB_STAT_BPF_H */
