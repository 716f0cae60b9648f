/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CPU cycles by cgroup: what a CPU's counter has counted between two context switches is added to the group of the task
 * that ran, beside its time (usage.bpf.h). An hour at 3 GHz takes more energy than one at 1 GHz.
 *
 * The cycles of an interrupt count for the task that it interrupted. When a task moves itself, all its cycles since its
 * last switch go to the new group.
 */
#ifndef FTAP_LIB_CYCLES_BPF_H
#define FTAP_LIB_CYCLES_BPF_H

#include "bpf/lib/usage.bpf.h"

/* Set before load: where this constant is off, the verifier removes all of this. */
const volatile bool ftap_cycles_on = false;

/* Userspace opens one for each CPU that is online then. */
struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(max_entries, 1); /* the loader sets it to the highest possible CPU + 1 */
  __type(key, __u32);
  __type(value, __u32);
} ftap_counters SEC(".maps");

/* A map of its own and not a field of ftap_usages, whose elements fill a cache line. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to CPUs * groups */
  __type(key, __u32);
  __type(value, __u64);
} ftap_cycles SEC(".maps");

/* The cycles of this CPU since its last switch, whatever ran on it; 0 where they are not known. */
static __always_inline __u64 cycles_since_switch(struct ftap_cpu* here) {
  if (!ftap_cycles_on) return 0;
  struct bpf_perf_event_value now = {};
  __u64 before = here->cycles;
  here->cycles = 0;
  if (bpf_perf_event_read_value(&ftap_counters, BPF_F_CURRENT_CPU, &now, sizeof(now))) {
    struct ftap_numbers* all = numbers();
    if (all) __sync_fetch_and_add(&all->cycles_unread, 1);
    return 0;
  }
  here->cycles = now.counter;
  return before && now.counter > before ? now.counter - before : 0;
}

/* For the task that leaves the CPU. Its time was accounted for just before. */
static __always_inline void account_cycles(struct ftap_task* t, __u32 cpu_id, __u64 cycles) {
  if (!ftap_cycles_on || !t->css) return;
  __u32 i = cpu_id * ftap_nr_groups + t->group;
  __u64* of_group = bpf_map_lookup_elem(&ftap_cycles, &i);
  if (of_group) *of_group += cycles;
}

#endif /* FTAP_LIB_CYCLES_BPF_H */
