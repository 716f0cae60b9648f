/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether the running sched_ext scheduler counts its dispatches itself, so that the tracing programs leave their types
 * to it. A scheduler that flowtapd loads shares this map with them. It writes the map in ops.init, before it gets its
 * first task, and in ops.exit, after it had its last one: nothing is counted twice or left out on either side.
 */
#ifndef FTAP_LIB_EXT_SELF_BPF_H
#define FTAP_LIB_EXT_SELF_BPF_H

#include "bpf/lib/kernel.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} ftap_ext_self SEC(".maps");

static __always_inline void set_ext_counts_itself(bool itself) {
  __u32 key = 0, value = itself;
  bpf_map_update_elem(&ftap_ext_self, &key, &value, BPF_ANY);
}

static __always_inline bool ext_counts_itself(void) {
  __u32 key = 0;
  __u32* itself = bpf_map_lookup_elem(&ftap_ext_self, &key);
  return itself && *itself;
}

#endif /* FTAP_LIB_EXT_SELF_BPF_H */
