/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which task is next on a CPU that looks for one: from its own queue and its domain's, and from those that nobody else
 * comes for.
 */
#ifndef FTAP_SCHEDS_DOMAIN_NEXT_BPF_H
#define FTAP_SCHEDS_DOMAIN_NEXT_BPF_H

#include "scheds/domain/cpus.bpf.h"

bool scx_bpf_dsq_move_to_local(__u64 dsq_id) __ksym __weak;
__s32 scx_bpf_dsq_nr_queued(__u64 dsq_id) __ksym;

static __always_inline bool somebody_waits(__u32 domain, __u32 cpu) {
  return scx_bpf_dsq_nr_queued(domain) > 0 || scx_bpf_dsq_nr_queued(QUEUE_OF_CPU + cpu) > 0;
}

static __always_inline __u64 slice(__u32 domain, __u32 cpu) {
  return somebody_waits(domain, cpu) ? SLICE_CROWDED : SLICE_ALONE;
}

/* A task's place in a queue, if it has one. */
struct place {
  bool taken;
  __u64 key;
};

static __always_inline bool goes_before(struct place a, struct place b) {
  return a.taken && (!b.taken || before(a.key, b.key));
}

/* The place of the first task that waits there. */
static __always_inline struct place first_of(__u32 queue) {
  struct place place = {};
  struct task_struct* p;
  bpf_for_each(scx_dsq, p, queue, 0) {
    place.key = p->scx.dsq_vtime;
    place.taken = true;
    break;
  }
  return place;
}

/*
 * The place of `prev`, whose slice is used up, if it belongs to one of this CPU's two queues; `in_own`: to the CPU's
 * own.
 */
static __always_inline struct place place_of(struct task_struct* prev, __u32 domain, __u32 cpu,
                                             bool* in_own) {
  struct place place = {};
  struct task_ctx* t = ctx_of(prev);
  if (!t) return place;
  /* It may run on, and domain_stopping() is not called then. */
  charge(prev, t);
  t->since = bpf_ktime_get_ns();
  account_load(t, t->since);
  advance_clock(t, false, cpu);
  *in_own = t->queue == QUEUE_OF_CPU + cpu;
  place.taken = *in_own || t->queue == domain;
  place.key = deadline(t);
  return place;
}

/*
 * Chooses the next task for this CPU: `prev`, which has it, runs on if it `may`, or another one is taken. False: there
 * is none.
 */
static __always_inline bool choose(struct task_struct* prev, bool may, __u32 domain, __u32 cpu,
                                   struct cpu_queue* own, struct ftap_domain* home) {
  struct place running = {}, ours = first_of(QUEUE_OF_CPU + cpu), theirs = first_of(domain);
  bool in_own = false;
  if (may) running = place_of(prev, domain, cpu, &in_own);
  struct place first = in_own && goes_before(running, ours) ? running : ours;
  keep_beside(own, home, first.taken, first.key);
  ours.key += own->shift;
  if (in_own) running.key += own->shift;
  if (goes_before(running, ours) && goes_before(running, theirs)) {
    prev->scx.slice = slice(domain, cpu);
    return true;
  }
  if (!goes_before(theirs, ours) && scx_bpf_dsq_move_to_local(QUEUE_OF_CPU + cpu)) return true;
  return scx_bpf_dsq_move_to_local(domain) || scx_bpf_dsq_move_to_local(QUEUE_OF_CPU + cpu);
}

/* Takes a task that may run here from the queues of `domain`'s CPUs, or only from those of CPUs that are away. */
static __always_inline bool take_of_cpus(__u32 domain, __u32 cpu, bool away_only, __u64 now) {
  struct ftap_domain* from = domain_at(domain);
  __u32 i;
  if (domain >= FTAP_DOMAINS || !from || !from->restricted) return false;
  __u32 n = cpus_of_domain[domain];
  bpf_for(i, 0, n) {
    /* Each taker begins at a different CPU. */
    __u32 at = first_cpu[domain] + (cpu + i) % n;
    if (at >= FTAP_DOMAIN_CPUS) break;
    __u32 other = cpus[at];
    if (other == cpu || !scx_bpf_dsq_nr_queued(QUEUE_OF_CPU + other)) continue;
    if (away_only && !is_away(other, now)) continue;
    if (scx_bpf_dsq_move_to_local(QUEUE_OF_CPU + other)) return true;
  }
  return false;
}

/* However busy this CPU is, from time to time it looks after tasks that wait for CPUs which a higher class has. */
static __always_inline bool help(struct cpu_queue* own, struct ftap_domain* home, __u32 domain, __u32 cpu,
                                 __u64 now) {
  __u32 i;
  own->looked_at = now;
  own->lent_at = 0;
  comes_for(home, now);
  if (domain >= FTAP_DOMAINS || now - own->helped_at < AWAY) return false;
  own->helped_at = now;
  bpf_for(i, 0, nr_domains) {
    if (i >= FTAP_DOMAINS) break;
    __u32 other = nearest[domain][i];
    if (take_of_cpus(other, cpu, true, now)) return true;
    if (i && is_left(other, now) && scx_bpf_dsq_move_to_local(other)) return true;
  }
  return false;
}

#endif /* FTAP_SCHEDS_DOMAIN_NEXT_BPF_H */
