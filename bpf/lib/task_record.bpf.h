/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is remembered about each CPU, and about each task between two switches: how it came to wait for a CPU, and which
 * group it is in.
 */
#ifndef FTAP_LIB_TASK_RECORD_BPF_H
#define FTAP_LIB_TASK_RECORD_BPF_H

#include "bpf/abi/cpu.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/stat.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to the highest possible CPU + 1 */
  __type(key, __u32);
  __type(value, struct ftap_cpu);
} ftap_cpus SEC(".maps");

static __always_inline struct ftap_cpu* cpu_of(__u32 cpu) {
  return bpf_map_lookup_elem(&ftap_cpus, &cpu);
}

enum ftap_task_state {
  FTAP_TASK_UNKNOWN, /* nothing seen since the record was made */
  FTAP_TASK_RUNNING,
  FTAP_TASK_BLOCKED,
  FTAP_TASK_WOKEN,
  FTAP_TASK_NEW,
  FTAP_TASK_PREEMPTED,
};

#define FTAP_NO_CPU 0xffffffffU

struct ftap_task {
  __u64 runnable_since;  /* ns on CLOCK_MONOTONIC */
  __u64 waker_switches;  /* switches of the waker's CPU at the wake-up */
  __u64 target_switches; /* switches of the CPU it was queued on, at that moment */
  __u64 css;             /* address of its css_set when its group was looked up; 0: never looked up */
  __u64 ran;             /* ns of its sum_exec_runtime accounted for so far, valid once css is set */
  __u32 waker_cpu;       /* FTAP_NO_CPU when no task woke it */
  __u32 prev_cpu;        /* the CPU it ran on before the wake-up */
  __u32 moved_from;      /* first CPU it was moved away from while waiting, or FTAP_NO_CPU */
  __u16 state;           /* enum ftap_task_state */
  __u16 group;           /* the group it belongs to: bpf/abi/usage.h */
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct ftap_task);
} ftap_tasks SEC(".maps");

/*
 * Most records stand in an array, where one load finds them. Otherwise a switch would make up to four calls of a helper
 * (135 → 88 ns per switch in one run, tools/bench/figures/dispatch.md). The place follows from the task's address,
 * which stays the same for the task's life. A pid would not: a thread that execs takes over its leader's. Where the
 * place belongs to another task, the record is in task storage.
 */
#define FTAP_NEAR_BITS 16 /* 4 MiB, and few of a node's tasks share a place */
#define FTAP_NR_NEAR (1 << FTAP_NEAR_BITS)

struct ftap_near {
  struct ftap_task task;
  __u64 owner; /* address of the task whose place this is, or 0 */
} __attribute__((aligned(FTAP_CACHE_LINE)));

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE); /* nobody maps it, but only such arrays begin at a cache line */
  __uint(max_entries, FTAP_NR_NEAR);
  __type(key, __u32);
  __type(value, struct ftap_near);
} ftap_nears SEC(".maps");

static __always_inline struct ftap_near* near_of(struct task_struct* task) {
  /* Fibonacci hashing. The lower half is enough, and the verifier accepts that the pointer becomes a number. */
  __u32 i = (__u32)(unsigned long)task * 2654435769U >> (32 - FTAP_NEAR_BITS);
  return bpf_map_lookup_elem(&ftap_nears, &i);
}

static __always_inline bool claim(struct ftap_near* near, struct task_struct* task) {
  /* A place without an owner holds nothing: whoever frees it clears it first. */
  return !__sync_val_compare_and_swap(&near->owner, 0, (__u64)task);
}

static __always_inline void forget(struct ftap_task* t) {
  t->state = FTAP_TASK_UNKNOWN;
  t->css = 0;
}

/* `fresh`: the place cannot hold anything of this task yet, even if a task that is gone had the same address. */
static __always_inline void make_record(struct task_struct* task, bool fresh) {
  struct ftap_near* near = near_of(task);
  if (near && near->owner == (__u64)task) {
    if (fresh) forget(&near->task);
    return;
  }
  if (!fresh && bpf_task_storage_get(&ftap_tasks, task, NULL, 0)) return;
  if (near && claim(near, task)) return;
  if (!bpf_task_storage_get(&ftap_tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE))
    stat_add(FTAP_CLASS_KERNEL, FTAP_SLOT_ERR_TASK_STORAGE, 1);
}

/*
 * A task without a record takes the place if it is free, which allocates nothing. It is a task that the iterator did
 * not show because it is outside our pid namespace.
 */
static __always_inline struct ftap_task* record_of(struct task_struct* task) {
  struct ftap_near* near = near_of(task);
  if (near && near->owner == (__u64)task) return &near->task;
  struct ftap_task* stored = bpf_task_storage_get(&ftap_tasks, task, NULL, 0);
  if (stored || !near || !claim(near, task)) return stored;
  return &near->task;
}

#endif /* FTAP_LIB_TASK_RECORD_BPF_H */
