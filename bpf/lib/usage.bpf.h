/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who used the CPU, by cgroup: what a task ran between two context switches is added to its group's element of that CPU, a
 * plain addition to a line that no other CPU writes.
 *
 * A task's group stands in its record, beside the css_set that it was found by. A task that moves gets another css_set,
 * so the comparison of a pointer at each dispatch finds every move, of whichever thread and hierarchy, without an event.
 */
#ifndef FTAP_LIB_USAGE_BPF_H
#define FTAP_LIB_USAGE_BPF_H

#include "bpf/abi/usage.h"
#include "bpf/lib/kernel.bpf.h"

/* Set before load: as constants the verifier removes all of this where it is off. */
const volatile bool ftap_usage_on = false;
const volatile __u32 ftap_nr_groups = 1;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to CPUs * groups */
  __type(key, __u32);
  __type(value, struct ftap_usage);
} ftap_usages SEC(".maps");

/* Groups by the id of their cgroup. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1); /* the loader sets it */
  __type(key, __u64);
  __type(value, __u32);
} ftap_groups SEC(".maps");

/* Numbers that no group has. Userspace puts them there. */
struct {
  __uint(type, BPF_MAP_TYPE_QUEUE);
  __uint(max_entries, 1); /* the loader sets it */
  __type(value, __u32);
} ftap_free_groups SEC(".maps");

static __always_inline struct ftap_usage* usage_of(__u32 cpu, __u32 group) {
  __u32 i = cpu * ftap_nr_groups + group;
  return bpf_map_lookup_elem(&ftap_usages, &i);
}

/* Not inlined: rare, and the switch stays short. */
static __noinline __u32 group_of_cgroup(__u64 id) {
  __u32* known = bpf_map_lookup_elem(&ftap_groups, &id);
  if (known) return *known;
  __u32 group = FTAP_GROUP_OTHER;
  /* Neither allocates: both maps are there whole from the beginning. */
  if (!bpf_map_pop_elem(&ftap_free_groups, &group)) {
    if (!bpf_map_update_elem(&ftap_groups, &id, &group, BPF_NOEXIST)) return group;
    bpf_map_push_elem(&ftap_free_groups, &group, 0);
  }
  /* Another CPU may have been first with this one. */
  known = bpf_map_lookup_elem(&ftap_groups, &id);
  return known ? *known : FTAP_GROUP_OTHER;
}

#endif /* FTAP_LIB_USAGE_BPF_H */
