/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who used the CPU, by cgroup. What a task ran between two context switches is added to its group's element of that
 * CPU. That is a plain addition to a line that no other CPU writes.
 *
 * A task's group stands in its record, beside the css_set that it was found by. A task that moves gets another css_set,
 * so comparing one pointer at each switch finds every move, of any thread in any hierarchy. A task that moves itself
 * (as a container's first process does) fires an event: what it ran before belongs to the old group. A task that
 * somebody else moves while it runs on another CPU takes its whole turn along to the new group. The kernel looks at the
 * clock only at its tick. Where the tick comes between the move and the event, the kernel charges up to a tick (1/HZ s)
 * of what was run before to the new group, and we do not.
 */
#ifndef FTAP_LIB_USAGE_BPF_H
#define FTAP_LIB_USAGE_BPF_H

#include "bpf/abi/usage.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/task_record.bpf.h"
#include "bpf/lib/usage_cgroup.bpf.h"

/* Set before load: where these constants are off, the verifier removes all of this. */
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

/* Numbers that no group has. Userspace puts them here. */
struct {
  __uint(type, BPF_MAP_TYPE_QUEUE);
  __uint(max_entries, 1); /* the loader sets it */
  __type(value, __u32);
} ftap_free_groups SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct ftap_numbers);
} ftap_numbers SEC(".maps");

static __always_inline struct ftap_numbers* numbers(void) {
  __u32 first = 0;
  return bpf_map_lookup_elem(&ftap_numbers, &first);
}

static __always_inline bool numbers_left(void) {
  struct ftap_numbers* all = numbers();
  return all && !all->used_up;
}

static __always_inline struct ftap_usage* usage_of(__u32 cpu, __u32 group) {
  __u32 i = cpu * ftap_nr_groups + group;
  return bpf_map_lookup_elem(&ftap_usages, &i);
}

/* Not inlined: this is rare, and the switch stays short. */
static __noinline __u32 group_of_cgroup(__u64 id) {
  __u32* known = bpf_map_lookup_elem(&ftap_groups, &id);
  if (known) return *known;
  __u32 group = FTAP_GROUP_OTHER;
  /* Neither look-up nor insertion allocates: both maps exist in full from the beginning. */
  if (!bpf_map_pop_elem(&ftap_free_groups, &group)) {
    if (!bpf_map_update_elem(&ftap_groups, &id, &group, BPF_NOEXIST)) return group;
    bpf_map_push_elem(&ftap_free_groups, &group, 0);
  } else {
    struct ftap_numbers* all = numbers();
    if (all) all->used_up = 1;
  }
  /* Another CPU may have been first with this cgroup. */
  known = bpf_map_lookup_elem(&ftap_groups, &id);
  return known ? *known : FTAP_GROUP_OTHER;
}

/* The address of a task's css_set; 0 where nobody asks for it. */
static __always_inline __u64 css_of(struct task_struct* task) {
  return ftap_usage_on ? (__u64)task->cgroups : 0;
}

/* The group of a task with this css_set, which may have been another the last time. */
static __always_inline __u32 group_of(struct task_struct* task, struct ftap_task* t, __u64 css) {
  if (t->css == css && (t->group != FTAP_GROUP_OTHER || !numbers_left())) return t->group;
  /* We cannot tell who used what the task ran before anybody looked. */
  if (!t->css) t->ran = task->se.sum_exec_runtime;
  t->group = group_of_cgroup(usage_cgroup(task)->kn->id);
  t->css = css;
  return t->group;
}

/* What it ran up to its last switch, if that switch was not seen. */
static __always_inline void account_rest(struct task_struct* task, struct ftap_task* t) {
  __u64 ran = task->se.sum_exec_runtime;
  if (!t->css || ran <= t->ran) return;
  struct ftap_usage* usage = usage_of(bpf_get_smp_processor_id(), t->group);
  /* Where this may be preempted, a switch may add to it in between. */
  if (usage) __sync_fetch_and_add(&usage->run_ns, ran - t->ran);
}

/* What the kernel has charged the task with since the last time, even where switches in between were not seen. */
static __always_inline void account_run(struct task_struct* prev, struct ftap_task* t, __u64 css,
                                        __u32 cpu_id) {
  if (!ftap_usage_on || !t->css) return;
  struct ftap_usage* usage = usage_of(cpu_id, group_of(prev, t, css));
  __u64 ran = prev->se.sum_exec_runtime;
  /* A smaller value: the record belongs to an earlier task with this address, whose end was not seen. */
  if (usage && ran > t->ran) usage->run_ns += ran - t->ran;
  t->ran = ran;
}

/*
 * For the current task, which has just moved. The kernel, too, charges what was run since its last look at the clock to
 * the new group.
 */
static __always_inline void account_move(struct task_struct* task, struct ftap_task* t) {
  account_rest(task, t);
  if (t->css) t->ran = task->se.sum_exec_runtime;
  group_of(task, t, css_of(task));
}

static __always_inline void account_dispatch(struct task_struct* next, struct ftap_task* t, __u64 css,
                                             __u32 cpu_id, __u64 now) {
  /* A missing record was counted when it could not be made (FTAP_SLOT_ERR_TASK_STORAGE). */
  if (!ftap_usage_on || !t) return;
  struct ftap_usage* usage = usage_of(cpu_id, group_of(next, t, css));
  if (!usage) return;
  usage->dispatches++;
  if (now <= t->runnable_since || t->state < FTAP_TASK_WOKEN) return;
  __u64 wait = now - t->runnable_since;
  __u32 bucket = ftap_coarse_bucket(wait);
  usage->wait_ns += wait;
  if (bucket <= FTAP_COARSE_EDGES) usage->waits[bucket]++;
}

#endif /* FTAP_LIB_USAGE_BPF_H */
