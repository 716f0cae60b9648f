/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What domain.bpf.c knows of each task and each domain, and the arithmetic of virtual time and load on it. */
#ifndef FTAP_SCHEDS_DOMAIN_TASK_BPF_H
#define FTAP_SCHEDS_DOMAIN_TASK_BPF_H

#include "scheds/domain/abi.h"
#include "scheds/lib/dispatch.bpf.h"

/* Written by the loader before load. */
const volatile __u32 nr_cpus; /* possible ones: a task that may use as many may use all */
const volatile __u32 nr_domains;
const volatile __u32 domain_of_cpu[FTAP_DOMAIN_CPUS];
const volatile __u32 node_of_domain[FTAP_DOMAINS];
const volatile __u32 cpus_of_domain[FTAP_DOMAINS];
/* For each domain all of them, itself first, then those of its node, then the others. */
const volatile __u32 nearest[FTAP_DOMAINS][FTAP_DOMAINS];

/* The balancer's cycles, counted by userspace. */
__u32 balance_cycle;

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL
/* While others wait, and while nobody does. */
#define SLICE_CROWDED (5 * NSEC_PER_MSEC)
#define SLICE_ALONE (20 * NSEC_PER_MSEC)
/*
 * For one turn. What is more is the machine's doing and not the task's: a virtual one that stood still, time that was stolen. A
 * task that pays for it waits until all others have had as much.
 */
#define MOST_CHARGED SLICE_ALONE
/* How far behind its domain's clock a task that slept may wake up: so much sooner it is served. */
#define BUDGET SLICE_ALONE
/*
 * How far behind one may be that waits: more only has who shares a CPU with many while others of its domain do not, and
 * whoever came to that CPU later would wait until it has caught up.
 */
#define MOST_BEHIND (4 * BUDGET)
/*
 * Who waits is served after about so long, however little its weight is beside that of all others: the kernel takes a
 * scheduler for broken of which a task waits for half a minute (SCX_WATCHDOG_MAX_TIMEOUT).
 */
#define LONGEST_WAIT (5 * NSEC_PER_SEC)

struct task_ctx {
  ftap_way way;
  __u32 domain; /* whose queue it waits in, and whose clock its virtual time is of */
  __u32 queued; /* the domain in whose queue it was put last */
  __u32 weight;
  __u32 counted;     /* of its weight in its domain's: 0 while it sleeps */
  __u64 vtime;       /* up to where it has run, on its domain's clock */
  __u64 key;         /* its place in the queue that it was put into last */
  __u64 ran_before;  /* sum_exec_runtime up to which vtime is charged */
  __u64 burst;       /* ns that it has run since it woke up */
  __u64 mean_burst;  /* ns, over its last wake-ups */
  __u64 wants_since; /* since when its load is not accounted for; 0: it sleeps */
  __u64 load_sum;    /* weight * ns in this cycle of the balancer */
  __u64 load;        /* weight, as of a task that always wants to run, in the cycle before */
  __u64 cycle_began;
  __u32 cycle; /* balance_cycle of load_sum */
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct task_ctx);
} ftap_task_ctxs SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, FTAP_DOMAINS);
  __type(key, __u32);
  __type(value, struct ftap_domain);
} ftap_domains SEC(".maps");

static __always_inline struct ftap_domain* domain_at(__u32 domain) {
  return bpf_map_lookup_elem(&ftap_domains, &domain);
}

/* Counts where there is none, which only happens when the kernel forgot to tell of a task. */
static __always_inline struct task_ctx* ctx_of(struct task_struct* p) {
  struct task_ctx* t = bpf_task_storage_get(&ftap_task_ctxs, p, NULL, 0);
  if (!t) stat_add(FTAP_CLASS_EXT, FTAP_SLOT_TASK_ERRORS, 1);
  return t;
}

/* FTAP_DOMAIN_NONE for a CPU that is not known. */
static __always_inline __u32 domain_of(__s32 cpu) {
  return cpu >= 0 && cpu < FTAP_DOMAIN_CPUS ? domain_of_cpu[cpu] : FTAP_DOMAIN_NONE;
}

static __always_inline __u32 node_of(__u32 domain) {
  return domain < FTAP_DOMAINS ? node_of_domain[domain] : FTAP_DOMAIN_NONE;
}

static __always_inline bool before(__u64 a, __u64 b) {
  return (__s64)(a - b) < 0;
}

/* Virtual ns of so many ns. */
static __always_inline __u64 scaled(__u64 ns, __u32 weight) {
  return ns * FTAP_WEIGHT_NORMAL / (weight ? weight : 1);
}

/* It has become runnable: of what it did not use while it slept it keeps BUDGET. */
static __always_inline void bound_budget(struct task_ctx* t) {
  struct ftap_domain* domain = domain_at(t->domain);
  if (!domain) return;
  __u64 least = domain->vtime - BUDGET;
  bool clamped = before(t->vtime, least);
  if (clamped) t->vtime = least;
  stat_add(FTAP_CLASS_EXT, clamped ? FTAP_SLOT_DL_CLAMPED : FTAP_SLOT_DL_PRESET, 1);
}

/* How far the clock comes in LONGEST_WAIT, as all of the domain want to run now. */
static __always_inline __u64 farthest(__u32 at, const struct ftap_domain* domain) {
  __u64 cpus = at < FTAP_DOMAINS ? cpus_of_domain[at] : 1;
  __u64 weight = domain->weight > FTAP_WEIGHT_NORMAL ? domain->weight : FTAP_WEIGHT_NORMAL;
  return LONGEST_WAIT * cpus * FTAP_WEIGHT_NORMAL / weight;
}

/*
 * Where it stands in its queue: the virtual time at which it would be done if it ran as long as it usually does, and a slice
 * at most. Who runs shortly is served early, and pays for it as everybody does.
 */
static __always_inline __u64 deadline(struct task_ctx* t) {
  struct ftap_domain* domain = domain_at(t->domain);
  if (!domain) return t->vtime;
  __u64 latest = domain->vtime + farthest(t->domain, domain);
  __u64 earliest = domain->vtime - MOST_BEHIND;
  if (before(latest, t->vtime)) t->vtime = latest;
  __u64 burst = t->mean_burst > t->burst ? t->mean_burst : t->burst;
  __u64 ahead = scaled(burst < SLICE_CROWDED ? burst : SLICE_CROWDED, t->weight);
  if (before(t->vtime + ahead, earliest)) t->vtime = earliest - ahead;
  __u64 key = t->vtime + ahead;
  return before(latest, key) ? latest : key;
}

static __always_inline void charge(struct task_struct* p, struct task_ctx* t) {
  __u64 ran = p->se.sum_exec_runtime - t->ran_before;
  t->ran_before = p->se.sum_exec_runtime;
  if (ran > MOST_CHARGED) ran = MOST_CHARGED;
  t->vtime += scaled(ran, t->weight);
  t->burst += ran;
}

/* It goes to sleep. */
static __always_inline void end_burst(struct task_ctx* t) {
  t->mean_burst = (3 * t->mean_burst + t->burst) / 4;
  t->burst = 0;
}

/* Its domain's clock stands at least where the task is that runs now. */
static __always_inline void advance_clock(const struct task_ctx* t, bool from_queue) {
  struct ftap_domain* domain = domain_at(t->domain);
  __u64 at = from_queue && before(t->key, t->vtime) ? t->key : t->vtime;
  if (domain && before(domain->vtime, at)) domain->vtime = at;
}

static __always_inline void count_weight(struct task_ctx* t, __u32 weight) {
  struct ftap_domain* domain = domain_at(t->domain);
  if (domain) __sync_fetch_and_add(&domain->weight, (__u64)weight - t->counted);
  t->counted = weight;
}

/* Adds what it wanted since the last time to its own load and to its domain's. */
static __always_inline void account_load(struct task_ctx* t, __u64 now) {
  __u64 wanted = t->wants_since && now > t->wants_since ? now - t->wants_since : 0;
  if (t->wants_since) t->wants_since = now;
  if (t->cycle != balance_cycle) {
    __u64 took = now - t->cycle_began;
    t->load = took ? t->load_sum / took : 0;
    t->load_sum = 0;
    t->cycle_began = now;
    t->cycle = balance_cycle;
  }
  __u64 load = wanted * t->weight;
  t->load_sum += load;
  struct ftap_domain* domain = domain_at(t->domain);
  if (domain && load) __sync_fetch_and_add(&domain->load, load);
}

/* Its virtual time keeps its distance to the clock of the domain that it is in. */
static __always_inline void move_to(struct task_ctx* t, __u32 to) {
  struct ftap_domain* old = domain_at(t->domain);
  struct ftap_domain* new = domain_at(to);
  if (!old || !new || to == t->domain) return;
  __u32 weight = t->counted;
  count_weight(t, 0);
  t->vtime += new->vtime - old->vtime;
  t->domain = to;
  count_weight(t, weight);
}

#endif /* FTAP_SCHEDS_DOMAIN_TASK_BPF_H */
