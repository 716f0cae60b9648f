/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who belongs to the run of a listed process: the process and all that it has started, whoever their parent is by now
 * (a daemon's is process 1). This tells whose the bytes are that are written to a shared place, and when nobody is left
 * who could write them.
 */
#ifndef FTAP_LIB_LOG_MEMBERS_BPF_H
#define FTAP_LIB_LOG_MEMBERS_BPF_H

#include "bpf/abi/log.h"
#include "bpf/lib/log/hook.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, FTAP_MAX_MEMBERS);
  __type(key, __u32); /* tgid */
  __type(value, struct ftap_member);
} ftap_members SEC(".maps");

/*
 * NULL: it belongs to none. Where a process's end was missed, its entry does not count for the process that has the pid
 * now.
 */
static __always_inline struct ftap_member* member_of(struct task_struct* task) {
  __u32 tgid = task->tgid;
  struct ftap_member* member = bpf_map_lookup_elem(&ftap_members, &tgid);
  if (!member) return NULL;
  return !member->start_time || member->start_time == task->group_leader->start_boottime ? member : NULL;
}

static __always_inline bool is_same_run(const struct ftap_run* a, const struct ftap_run* b) {
  return a->pid == b->pid && a->start_time == b->start_time;
}

static __u64 ftap_joined; /* how many have become members */

static __always_inline void set_member(__u32 tgid, __u64 start_time, const struct ftap_run* run) {
  struct ftap_member member = {.run = *run, .start_time = start_time};
  bpf_map_update_elem(&ftap_members, &tgid, &member, BPF_ANY);
  __sync_fetch_and_add(&ftap_joined, 1);
}

struct bpf_map;

struct ftap_search {
  struct ftap_run run;
  bool found;
};

static long find_member(struct bpf_map* map, __u32* tgid, struct ftap_member* member,
                        struct ftap_search* search) {
  search->found = is_same_run(&member->run, &search->run);
  return search->found;
}

#define FTAP_LOOKS 8

/*
 * Looks through all members unless the first one lives. This is for places where runs meet. During the look a run may
 * be handed on from a member that is not reached yet to its child in a place that is passed already. The child has
 * joined before that, so a look during which none joined is complete. If none of FTAP_LOOKS is, somebody lives. The
 * function is global, so that the verifier looks at it once.
 */
__noinline int has_members(__u64 start_time, __u32 pid) {
  struct ftap_search search = {.run = {.start_time = start_time, .pid = pid}};
  struct ftap_member* first = bpf_map_lookup_elem(&ftap_members, &pid);
  if (first && is_same_run(&first->run, &search.run)) return 1;
  for (int i = 0; i < FTAP_LOOKS; i++) {
    __u64 joined = *(volatile __u64*)&ftap_joined;
    bpf_for_each_map_elem(&ftap_members, find_member, &search, 0);
    if (search.found) return 1;
    if (*(volatile __u64*)&ftap_joined == joined) return 0;
  }
  return 1;
}

/* This runs before the child's first instruction. */
FTAP_HOOK(fork, "tp_btf/sched_process_fork")

SEC("tp_btf/sched_process_fork")
int BPF_PROG(ftap_fork, struct task_struct* parent, struct task_struct* child) {
  if (child->pid != child->tgid) return 0; /* a thread */
  struct ftap_member* member = member_of(parent);
  if (member) {
    struct ftap_run run = member->run;
    set_member(child->tgid, child->start_boottime, &run);
  }
  FTAP_PASS_ON(ctx, fork);
  return 0;
}

#endif /* FTAP_LIB_LOG_MEMBERS_BPF_H */
