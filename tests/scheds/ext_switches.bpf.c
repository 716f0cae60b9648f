/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The other account of the dispatches of a sched_ext scheduler, which does not know how the scheduler counts: all
 * switches to tasks of the ext class, and how many of them follow an insertion that the scheduler made for that task
 * since its last switch.
 */
#include "tests/scheds/ext_switches.h"
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u64 ext_class = 0; /* the address of the class, from its name */

SEC("syscall")
int find_class(void* ctx) {
  static const char name[] = "ext_sched_class";
  return bpf_kallsyms_lookup_name(name, sizeof(name), 0, &ext_class);
}

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct ftap_ext_switches);
} counted SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, __u32);
} inserted SEC(".maps");

/*
 * For each watched task that waits, this is watched_switches + 1 at the time when it lost its CPU; 0: it does not wait.
 */
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, __u64);
} lost SEC(".maps");

static __always_inline struct ftap_ext_switches* counts(void) {
  __u32 key = 0;
  return bpf_map_lookup_elem(&counted, &key);
}

static __always_inline int insertion(struct task_struct* task) {
  struct ftap_ext_switches* c = counts();
  __u32* mark = bpf_task_storage_get(&inserted, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (mark) *mark = 1;
  if (c) __sync_fetch_and_add(mark ? &c->insertions : &c->unmarked, 1);
  return 0;
}

SEC("fentry/scx_bpf_dsq_insert")
int BPF_PROG(insert, struct task_struct* task) {
  return insertion(task);
}

SEC("fentry/scx_bpf_dsq_insert_vtime")
int BPF_PROG(insert_vtime, struct task_struct* task) {
  return insertion(task);
}

static __always_inline void watch(struct ftap_ext_switches* c, struct task_struct* prev, bool waits,
                                  struct task_struct* next) {
  __u64* since;
  if (waits && (__u64)prev->tgid == c->watched) {
    since = bpf_task_storage_get(&lost, prev, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (since) *since = c->watched_switches + 1;
  }
  if ((__u64)next->tgid != c->watched) return;
  __u64 now = __sync_fetch_and_add(&c->watched_switches, 1);
  since = bpf_task_storage_get(&lost, next, NULL, 0);
  if (!since || !*since) return;
  __u64 waited = now + 1 - *since;
  *since = 0;
  if (waited > c->longest_wait)
    c->longest_wait = waited; /* if two CPUs do this at once, the other's wait is nearly as long */
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct* prev, struct task_struct* next) {
  struct ftap_ext_switches* c = counts();
  if (!c) return 0;
  if (c->watched) watch(c, prev, preempt || !prev->__state, next);
  if (!next->pid || (__u64)next->sched_class != ext_class) return 0;
  __sync_fetch_and_add(&c->switches, 1);
  __u32* mark = bpf_task_storage_get(&inserted, next, NULL, 0);
  if (mark && *mark) {
    __sync_fetch_and_add(&c->after_insertion, 1);
    *mark = 0;
  }
  return 0;
}
