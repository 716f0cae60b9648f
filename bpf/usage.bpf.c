/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which cgroups (v2) come and go, with their paths: whose it was that bpf/dispatch.bpf.c accounted for (lib/usage.bpf.h),
 * also where a cgroup was gone before anybody could look.
 *
 * The kernel fires both events with interrupts off (kernel: TRACE_CGROUP_PATH), so neither program misses one to itself.
 */
#include "bpf/abi/cgroup_event.h"
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 20); /* 1,000 events between two looks */
} ftap_cgroups SEC(".maps");

/* Events that found no room in the ring. */
__u64 ftap_lost = 0;

static __always_inline int tell(struct cgroup* cgroup, const char* path, __u32 kind) {
  if (cgroup->root->hierarchy_id != 0) return 0;
  struct ftap_cgroup_event* event = bpf_ringbuf_reserve(&ftap_cgroups, sizeof(*event), 0);
  if (!event) {
    __sync_fetch_and_add(&ftap_lost, 1);
    return 0;
  }
  event->id = cgroup->kn->id;
  event->kind = kind;
  long length = bpf_probe_read_kernel_str(event->path, sizeof(event->path), path);
  event->length = length > 0 ? length : 0;
  bpf_ringbuf_submit(event, 0);
  return 0;
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(ftap_made, struct cgroup* cgroup, const char* path) {
  return tell(cgroup, path, FTAP_CGROUP_MADE);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(ftap_gone, struct cgroup* cgroup, const char* path) {
  return tell(cgroup, path, FTAP_CGROUP_GONE);
}
