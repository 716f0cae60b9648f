/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How one of our schedulers begins and ends: begin_scheduler() in ops.init, end_scheduler() in ops.exit. */
#ifndef FTAP_SCHEDS_LIFE_BPF_H
#define FTAP_SCHEDS_LIFE_BPF_H

#include "bpf/lib/ext_self.bpf.h"
#include "scheds/lib/exit.h"
#include "scheds/lib/scx.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct ftap_exit);
} ftap_exits SEC(".maps");

static __always_inline void begin_scheduler(void) {
  set_ext_counts_itself(true);
}

static __always_inline void end_scheduler(const struct scx_exit_info* info) {
  set_ext_counts_itself(false);
  __u32 key = 0;
  struct ftap_exit* exit = bpf_map_lookup_elem(&ftap_exits, &key);
  if (!exit) return;
  exit->code = info->exit_code;
  bpf_probe_read_kernel_str(exit->reason, sizeof(exit->reason), info->reason);
  bpf_probe_read_kernel_str(exit->message, sizeof(exit->message), info->msg);
  __sync_lock_test_and_set(&exit->kind, (long long)info->kind); /* ordered behind all of the above */
}

#endif /* FTAP_SCHEDS_LIFE_BPF_H */
