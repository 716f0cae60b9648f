/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is next on a CPU that looks for a task: of its own queue and its domain's, and of those that nobody else comes for. */
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

/* A place in a queue, where somebody has one. */
struct place {
  bool taken;
  __u64 key;
};

static __always_inline bool goes_before(struct place a, struct place b) {
  return a.taken && (!b.taken || before(a.key, b.key));
}

/* Of the first that waits there. */
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

/* Of `prev`, whose slice is used up, if it is of one of the two queues of this CPU; `in_own`: of the CPU's own. */
static __always_inline struct place place_of(struct task_struct* prev, __u32 domain, __u32 cpu,
                                             bool* in_own) {
  struct place place = {};
  struct task_ctx* t = ctx_of(prev);
  if (!t) return place;
  /* It may run on without being told of as stopping. */
  charge(prev, t);
  t->since = bpf_ktime_get_ns();
  account_load(t, t->since);
  advance_clock(t, false, cpu);
  *in_own = t->queue == QUEUE_OF_CPU + cpu;
  place.taken = *in_own || t->queue == domain;
  place.key = deadline(t);
  return place;
}

/* Who is next of those that this CPU may choose from: `prev`, whom it has, runs on if it `may`, or another is taken. False: nobody. */
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

/* One of those in the queues of the CPUs of `domain`, or of those of them that are away, that may run here. */
static __always_inline bool take_of_cpus(__u32 domain, __u32 cpu, bool away_only, __u64 now) {
  struct ftap_domain* from = domain_at(domain);
  __u32 i;
  if (domain >= FTAP_DOMAINS || !from || !from->restricted) return false;
  __u32 n = cpus_of_domain[domain];
  bpf_for(i, 0, n) {
    /* Not each taker's first one is the same. */
    __u32 at = first_cpu[domain] + (cpu + i) % n;
    if (at >= FTAP_DOMAIN_CPUS) break;
    __u32 other = cpus[at];
    if (other == cpu || !scx_bpf_dsq_nr_queued(QUEUE_OF_CPU + other)) continue;
    if (away_only && !is_away(other, now)) continue;
    if (scx_bpf_dsq_move_to_local(QUEUE_OF_CPU + other)) return true;
  }
  return false;
}

/* Whoever waits for CPUs that a higher class has is seen to from time to time, however busy this one is. */
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
