/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPUs of each domain as masks, and the search for an idle one among them. */
#ifndef FTAP_SCHEDS_DOMAIN_CPUS_BPF_H
#define FTAP_SCHEDS_DOMAIN_CPUS_BPF_H

#include "scheds/domain/task.bpf.h"

struct bpf_cpumask {
} __ftap_core;

struct bpf_cpumask* bpf_cpumask_create(void) __ksym;
void bpf_cpumask_release(struct bpf_cpumask* mask) __ksym;
void bpf_cpumask_set_cpu(__u32 cpu, struct bpf_cpumask* mask) __ksym;
bool bpf_cpumask_test_cpu(__u32 cpu, const struct cpumask* mask) __ksym;
bool bpf_cpumask_and(struct bpf_cpumask* to, const struct cpumask* a, const struct cpumask* b) __ksym;
bool bpf_cpumask_intersects(const struct cpumask* a, const struct cpumask* b) __ksym;
bool bpf_cpumask_subset(const struct cpumask* a, const struct cpumask* b) __ksym;
__u32 bpf_cpumask_any_and_distribute(const struct cpumask* a, const struct cpumask* b) __ksym;
bool bpf_cpumask_empty(const struct cpumask* mask) __ksym;
void bpf_rcu_read_lock(void) __ksym;
void bpf_rcu_read_unlock(void) __ksym;
const struct cpumask* scx_bpf_get_idle_cpumask(void) __ksym;
void scx_bpf_put_idle_cpumask(const struct cpumask* mask) __ksym;

struct mask_slot {
  struct bpf_cpumask __kptr* mask;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, FTAP_DOMAINS);
  __type(key, __u32);
  __type(value, struct mask_slot);
} ftap_dom_masks SEC(".maps");

/*
 * The CPUs that belong to a domain and that a task may use. Each CPU has its own mask, as no program here is
 * interrupted by another.
 */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct mask_slot);
} ftap_scratch SEC(".maps");

/* Needs the RCU read lock; only programs that may sleep do not hold it anyway. */
static __always_inline const struct cpumask* mask_of(__u32 domain) {
  struct mask_slot* slot = bpf_map_lookup_elem(&ftap_dom_masks, &domain);
  return slot ? (const struct cpumask*)slot->mask : NULL;
}

static __always_inline bool may_use(struct task_struct* p, __u32 domain) {
  const struct cpumask* mask = mask_of(domain);
  return mask && bpf_cpumask_intersects(mask, p->cpus_ptr);
}

/* Finds an idle CPU of the domain that the task may use and claims it for the task; negative: there is none. */
static __always_inline __s32 pick_idle(struct task_struct* p, __u32 domain) {
  const struct cpumask* mask = mask_of(domain);
  if (!mask) return -1;
  if ((__u32)p->nr_cpus_allowed >= nr_cpus) return scx_bpf_pick_idle_cpu(mask, 0);
  __u32 key = 0;
  struct mask_slot* scratch = bpf_map_lookup_elem(&ftap_scratch, &key);
  struct bpf_cpumask* both = scratch ? scratch->mask : NULL;
  if (!both || !bpf_cpumask_and(both, mask, p->cpus_ptr)) return -1;
  return scx_bpf_pick_idle_cpu((const struct cpumask*)both, 0);
}

static __always_inline bool any_idle(void) {
  const struct cpumask* idle = scx_bpf_get_idle_cpumask();
  bool any = !bpf_cpumask_empty(idle);
  scx_bpf_put_idle_cpumask(idle);
  return any;
}

/* The domain `preferred`, or the nearest to it that has a CPU which the task may use. */
static __always_inline __u32 usable_domain(struct task_struct* p, __u32 preferred) {
  __u32 i;
  if (preferred >= FTAP_DOMAINS) preferred = 0;
  bpf_for(i, 0, nr_domains) {
    if (i >= FTAP_DOMAINS) break;
    __u32 domain = nearest[preferred][i];
    if (may_use(p, domain)) return domain;
  }
  return preferred;
}

/* Whether a CPU has tasks of its own that it does not come for. */
static __always_inline bool is_away(__u32 cpu, __u64 now) {
  struct cpu_queue* own = cpu_queue_at(cpu);
  return own && own->weight && (__s64)(now - own->looked_at) > (__s64)AWAY;
}

/*
 * Notes that one of the domain's CPUs looks for a task, or will at once. All its CPUs read that line, so it is written
 * as seldom as possible.
 */
static __always_inline void comes_for(struct ftap_domain* domain, __u64 now) {
  if ((__s64)(now - domain->looked_at) > (__s64)(AWAY / 4)) domain->looked_at = now;
}

/* Whether none of a domain's CPUs has come for its tasks lately. */
static __always_inline bool is_left(__u32 domain, __u64 now) {
  struct ftap_domain* d = domain_at(domain);
  return d && (__s64)(now - d->looked_at) > (__s64)AWAY;
}

/*
 * The CPU of the domain whose queue the task should wait in: its own one, or another that would have less to do. Only
 * one of the many others is asked, a different one each time.
 */
static __always_inline __u32 roomier(struct task_struct* p, const struct task_ctx* t, __u32 domain,
                                     __u32 cpu) {
  const struct cpumask* mask = mask_of(domain);
  __u32 other = mask ? bpf_cpumask_any_and_distribute(mask, p->cpus_ptr) : cpu;
  if (other >= nr_cpus || other == cpu) return cpu;
  if (domain_of(cpu) != domain || !bpf_cpumask_test_cpu(cpu, p->cpus_ptr)) return other;
  __u64 now = bpf_ktime_get_ns();
  if (is_away(other, now)) return cpu;
  if (is_away(cpu, now)) return other;
  struct cpu_queue *here = cpu_queue_at(cpu), *there = cpu_queue_at(other);
  if (!here || !there) return cpu;
  __u64 its = t->queue == QUEUE_OF_CPU + cpu ? t->counted : 0;
  return there->weight + its < here->weight ? other : cpu;
}

/* The queue of `domain` in which the task waits. */
static __always_inline __u32 queue_for(struct task_struct* p, const struct task_ctx* t, __u32 domain) {
  __u32 cpu = scx_bpf_task_cpu(p);
  if (bound_to_cpu(p)) return QUEUE_OF_CPU + cpu;
  if ((__u32)p->nr_cpus_allowed >= nr_cpus) return domain;
  const struct cpumask* mask = mask_of(domain);
  if (mask && bpf_cpumask_subset(mask, p->cpus_ptr)) return domain;
  return QUEUE_OF_CPU + roomier(p, t, domain, cpu);
}

static __always_inline __s32 put_mask(struct mask_slot* slot, struct bpf_cpumask* mask) {
  if (!mask) return -12; /* ENOMEM */
  if (!slot) {
    bpf_cpumask_release(mask);
    return -2; /* ENOENT */
  }
  mask = bpf_kptr_xchg(&slot->mask, mask);
  if (mask) bpf_cpumask_release(mask);
  return 0;
}

static __always_inline __s32 make_domain_mask(__u32 domain) {
  struct bpf_cpumask* mask = bpf_cpumask_create();
  __u32 cpu;
  if (!mask) return -12; /* ENOMEM */
  bpf_for(cpu, 0, FTAP_DOMAIN_CPUS) {
    if (cpu >= FTAP_DOMAIN_CPUS) break;
    if (domain_of_cpu[cpu] == domain) bpf_cpumask_set_cpu(cpu, mask);
  }
  return put_mask(bpf_map_lookup_elem(&ftap_dom_masks, &domain), mask);
}

static __always_inline __s32 make_scratch(__u32 cpu) {
  __u32 key = 0;
  return put_mask(bpf_map_lookup_percpu_elem(&ftap_scratch, &key, cpu), bpf_cpumask_create());
}

#endif /* FTAP_SCHEDS_DOMAIN_CPUS_BPF_H */
