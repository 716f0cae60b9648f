/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What domain.bpf.c knows about each task and each domain, and the arithmetic of virtual time and load. */
#ifndef FTAP_SCHEDS_DOMAIN_TASK_BPF_H
#define FTAP_SCHEDS_DOMAIN_TASK_BPF_H

#include "scheds/domain/abi.h"
#include "scheds/lib/dispatch.bpf.h"

/* The loader writes these before load. */
const volatile __u32 nr_cpus; /* possible CPUs: a task that may use this many may use all */
const volatile __u32 nr_domains;
const volatile __u32 domain_of_cpu[FTAP_DOMAIN_CPUS];
const volatile __u32 node_of_domain[FTAP_DOMAINS];
const volatile __u32 cpus_of_domain[FTAP_DOMAINS];
/* The CPUs, domain by domain, and where each domain's begin. */
const volatile __u32 cpus[FTAP_DOMAIN_CPUS];
const volatile __u32 first_cpu[FTAP_DOMAINS];
/* For each domain the order of all: itself first, then those of its node, then the others. */
const volatile __u32 nearest[FTAP_DOMAINS][FTAP_DOMAINS];

/* The number of the balancer's cycle; userspace counts it. */
__u32 balance_cycle;

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL
/* A slice while others wait, and one while nobody does. */
#define SLICE_CROWDED (5 * NSEC_PER_MSEC)
#define SLICE_ALONE (20 * NSEC_PER_MSEC)
/*
 * The most that one turn is charged. Anything beyond is the machine's doing and not the task's: a virtual machine that
 * stood still, or stolen time. A task that paid for it would wait until all others have had as much.
 */
#define MOST_CHARGED SLICE_ALONE
/* How far behind its domain's clock a task that slept may wake up; it is served sooner by that much. */
#define BUDGET SLICE_ALONE
/* How far behind a waiting task may be: whoever came to its CPUs later would wait until it has caught up. */
#define MOST_BEHIND (4 * BUDGET)
/*
 * A waiting task is served after about this long, however little its weight is beside that of all others. The kernel
 * takes a scheduler for broken if one of its tasks waits for half a minute (SCX_WATCHDOG_MAX_TIMEOUT).
 */
#define LONGEST_WAIT (5 * NSEC_PER_SEC)
/* About how long a cycle of the balancer in userspace takes. */
#define BALANCE_CYCLE NSEC_PER_SEC
/*
 * What a task costs beside what it runs itself: the end of its parent, and its own end, which nobody else would pay
 * for.
 */
#define FORK_COSTS (NSEC_PER_MSEC / 4)
/*
 * A CPU that has not looked for a task for this long, though some wait in its queue, belongs to a higher class. The
 * same goes for all CPUs of a domain.
 */
#define AWAY (100 * NSEC_PER_MSEC)

/*
 * Queues: each domain has one, with its own id, and each CPU has one for the tasks that may not use all of its domain.
 * How fast tasks advance in one queue says nothing about the others: on a CPU that many share all are slow, and a task
 * that has a CPU to itself is fast. On one common clock the slow ones would all be late, and among late ones weights no
 * longer count. So each queue has a clock of its own.
 */
#define QUEUE_OF_CPU FTAP_DOMAINS

/*
 * One task's record. It has many members, since each step of a task (it wakes up, waits, runs, sleeps) changes its place,
 * its virtual time and its load together, and one look-up in task storage finds all three.
 */
struct task_ctx {
  ftap_way way;
  __u32 domain;
  __u32 queue;  /* where it waits, and on whose clock its virtual time is */
  __u32 queued; /* the domain in whose queue it was put last */
  __u32 weight;
  __u32 counted;     /* the part of its weight that is in its domain's: 0 while it sleeps */
  __u64 vtime;       /* up to where it has run, on its queue's clock */
  __u64 lead;        /* how far ahead of its queue's clock it begins */
  __u64 key;         /* its place in the queue that it was put into last */
  __u64 ran_before;  /* sum_exec_runtime up to which vtime is charged */
  __u64 since;       /* ns on the clock: when vtime was charged last, or it began to run */
  __u64 burst;       /* ns that it has run since it woke up */
  __u64 mean_burst;  /* ns, over its last wake-ups */
  __u64 wants_since; /* since when its load is not accounted for; 0: it sleeps */
  __u64 load_sum;    /* weight * ns in this cycle of the balancer */
  __u64 load;        /* FTAP_LOAD_PARTS, in the cycle before */
  __u64 cycle_began;
  __u32 cycle;  /* balance_cycle of load_sum */
  bool outside; /* it ran last on a CPU that is not its domain's */
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

struct cpu_queue {
  __u64 vtime;     /* its clock, like a domain's */
  __u64 weight;    /* of its tasks that run or want to */
  __u64 shift;     /* added to its clock where it is compared with its domain's */
  __u64 looked_at; /* when its CPU last looked for a task */
  __u64 helped_at; /* when its CPU last looked for those of a CPU that is away */
  __u64 lent_at;   /* since when wakers lend it to tasks without its looking for any; 0: it has looked */
} __attribute__((aligned(64)));

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, FTAP_DOMAIN_CPUS);
  __type(key, __u32);
  __type(value, struct cpu_queue);
} ftap_cpu_queues SEC(".maps");

static __always_inline struct cpu_queue* cpu_queue_at(__u32 cpu) {
  return bpf_map_lookup_elem(&ftap_cpu_queues, &cpu);
}

static __always_inline struct ftap_domain* domain_at(__u32 domain) {
  return bpf_map_lookup_elem(&ftap_domains, &domain);
}

/* NULL for a queue that does not exist. */
static __always_inline __u64* clock_of(__u32 queue) {
  if (queue < QUEUE_OF_CPU) {
    struct ftap_domain* domain = domain_at(queue);
    return domain ? &domain->vtime : NULL;
  }
  struct cpu_queue* own = cpu_queue_at(queue - QUEUE_OF_CPU);
  return own ? &own->vtime : NULL;
}

/* Counts a missing one, which only happens when the kernel forgot to tell about a task. */
static __always_inline struct task_ctx* ctx_of(struct task_struct* p) {
  struct task_ctx* t = bpf_task_storage_get(&ftap_task_ctxs, p, NULL, 0);
  if (!t) stat_add(FTAP_CLASS_EXT, FTAP_SLOT_TASK_ERRORS, 1);
  return t;
}

/* FTAP_DOMAIN_NONE for an unknown CPU. */
static __always_inline __u32 domain_of(__s32 cpu) {
  return cpu >= 0 && cpu < FTAP_DOMAIN_CPUS ? domain_of_cpu[cpu] : FTAP_DOMAIN_NONE;
}

static __always_inline __u32 node_of(__u32 domain) {
  return domain < FTAP_DOMAINS ? node_of_domain[domain] : FTAP_DOMAIN_NONE;
}

static __always_inline bool before(__u64 a, __u64 b) {
  return (__s64)(a - b) < 0;
}

/* Turns ns into virtual ns. */
static __always_inline __u64 scaled(__u64 ns, __u32 weight) {
  return ns * FTAP_WEIGHT_NORMAL / (weight ? weight : 1);
}

/* The task has become runnable: of the time that it did not use while it slept it keeps BUDGET. */
static __always_inline void bound_budget(struct task_ctx* t) {
  const __u64* clock = clock_of(t->queue);
  if (!clock) return;
  __u64 least = *clock - BUDGET;
  bool clamped = before(t->vtime, least);
  if (clamped) t->vtime = least;
  stat_add(FTAP_CLASS_EXT, clamped ? FTAP_SLOT_DL_CLAMPED : FTAP_SLOT_DL_PRESET, 1);
}

/* How far its queue's clock comes in LONGEST_WAIT if all go on wanting to run as now. */
static __always_inline __u64 farthest(const struct task_ctx* t) {
  struct ftap_domain* domain = domain_at(t->domain);
  __u64 cpus = t->domain < FTAP_DOMAINS ? cpus_of_domain[t->domain] : 1;
  __u64 weight = domain ? domain->weight : 0;
  struct cpu_queue* own = t->queue < QUEUE_OF_CPU ? NULL : cpu_queue_at(t->queue - QUEUE_OF_CPU);
  if (own) {
    /* It shares one CPU with those of its queue, and with that CPU's part of all that may use any. */
    /* One of these two may have been changed already, and the other not yet. */
    __s64 free = domain ? (__s64)(domain->weight - domain->restricted) : 0;
    weight = own->weight + (free > 0 ? (__u64)free : 0) / (cpus ? cpus : 1);
    cpus = 1;
  }
  if (weight < FTAP_WEIGHT_NORMAL) weight = FTAP_WEIGHT_NORMAL;
  return LONGEST_WAIT * cpus * FTAP_WEIGHT_NORMAL / weight;
}

/*
 * The task's place in its queue: the virtual time at which it would be done if it ran as long as it usually does, but a
 * slice at most. A task that runs only briefly is served early, and pays for it like everybody.
 */
static __always_inline __u64 deadline(struct task_ctx* t) {
  const __u64* clock = clock_of(t->queue);
  if (!clock) return t->vtime;
  __u64 latest = *clock + farthest(t);
  __u64 earliest = *clock - MOST_BEHIND;
  if (before(latest, t->vtime)) t->vtime = latest;
  __u64 burst = t->mean_burst > t->burst ? t->mean_burst : t->burst;
  __u64 ahead = scaled(burst < SLICE_CROWDED ? burst : SLICE_CROWDED, t->weight);
  if (before(t->vtime + ahead, earliest)) t->vtime = earliest - ahead;
  __u64 key = t->vtime + ahead;
  return before(latest, key) ? latest : key;
}

/*
 * Puts the CPU's own queue beside its domain's, so that the places in both can be compared: a place in the CPU's own
 * queue counts as it plus own->shift. `first` is the first place in that queue, if there is `any`. Neither clock falls
 * behind the other by more than BUDGET, as the tasks of one queue would then have all of the CPU until it has caught
 * up. A CPU that is faster pulls its domain's clock along. A slower one comes forward as far as its first task lets it.
 * If that is not enough, the whole queue is shifted, and everybody in it keeps its place.
 */
static __always_inline void keep_beside(struct cpu_queue* own, struct ftap_domain* domain, bool any,
                                        __u64 first) {
  __u64 latest = own->vtime + own->shift - BUDGET;
  if (before(domain->vtime, latest)) domain->vtime = latest;
  __u64 earliest = domain->vtime - BUDGET - own->shift;
  if (!before(own->vtime, earliest)) return;
  if (!any || !before(first, earliest)) {
    own->vtime = earliest;
    return;
  }
  if (before(own->vtime, first)) own->vtime = first;
  own->shift += earliest - own->vtime;
}

static __always_inline void charge(struct task_struct* p, struct task_ctx* t) {
  __u64 ran = p->se.sum_exec_runtime - t->ran_before;
  t->ran_before = p->se.sum_exec_runtime;
  if (ran > MOST_CHARGED) ran = MOST_CHARGED;
  t->vtime += scaled(ran, t->weight);
  t->burst += ran;
}

/*
 * A fork begins where its parent has come to, as if the parent went on. Otherwise a program that forks and ends again
 * and again would begin at the clock each time, before all that have run, and keep them from ever running.
 */
static __always_inline __u64 lead_of(struct task_struct* parent) {
  struct task_ctx* its = bpf_task_storage_get(&ftap_task_ctxs, parent, NULL, 0);
  const __u64* clock = its ? clock_of(its->queue) : NULL;
  if (!clock) return FORK_COSTS;
  /* This does not use sum_exec_runtime: the kernel adds to that at its tick, and much may be forked in between. */
  __u64 ran = bpf_ktime_get_ns() - its->since;
  __u64 at = its->vtime + scaled(ran < MOST_CHARGED ? ran : MOST_CHARGED, its->weight);
  return (before(*clock, at) ? at - *clock : 0) + scaled(FORK_COSTS, its->weight);
}

/* The task goes to sleep. */
static __always_inline void end_burst(struct task_ctx* t) {
  t->mean_burst = (3 * t->mean_burst + t->burst) / 4;
  t->burst = 0;
}

/*
 * The queue's clock moves at least to where the task is that runs now. It does not if the task runs elsewhere: those
 * that are left in the queue do not go as fast.
 */
static __always_inline void advance_clock(const struct task_ctx* t, bool from_queue, __u32 cpu) {
  if (t->queue != domain_of(cpu) && t->queue != QUEUE_OF_CPU + cpu) return;
  __u64* clock = clock_of(t->queue);
  __u64 at = from_queue && before(t->key, t->vtime) ? t->key : t->vtime;
  if (clock && before(*clock, at)) *clock = at;
}

static __always_inline void count_weight(struct task_ctx* t, __u32 weight) {
  __u64 more = (__u64)weight - t->counted;
  struct ftap_domain* domain = domain_at(t->domain);
  t->counted = weight;
  if (domain) __sync_fetch_and_add(&domain->weight, more);
  if (t->queue < QUEUE_OF_CPU) return;
  if (domain) __sync_fetch_and_add(&domain->restricted, more);
  struct cpu_queue* own = cpu_queue_at(t->queue - QUEUE_OF_CPU);
  if (own) __sync_fetch_and_add(&own->weight, more);
}

/* Adds what the task wanted since the last time to its own load and to its domain's. */
static __always_inline void account_load(struct task_ctx* t, __u64 now) {
  __u64 wanted = t->wants_since && now > t->wants_since ? now - t->wants_since : 0;
  if (t->wants_since) t->wants_since = now;
  t->load_sum += wanted * t->weight;
  if (t->cycle != balance_cycle) {
    __u64 took = now - t->cycle_began;
    t->load = took ? t->load_sum * FTAP_LOAD_PARTS / took : 0;
    t->load_sum = 0;
    t->cycle_began = now;
    t->cycle = balance_cycle;
  }
  /* A waiting task is not seen before it runs; anything beyond a cycle belongs to cycles that are over. */
  if (wanted > BALANCE_CYCLE) wanted = BALANCE_CYCLE;
  struct ftap_domain* domain = domain_at(t->domain);
  if (domain && wanted) __sync_fetch_and_add(&domain->load, wanted * t->weight);
}

/* Its virtual time keeps its distance to the clock of its queue. */
static __always_inline void move_to(struct task_ctx* t, __u32 domain, __u32 queue) {
  if (domain == t->domain && queue == t->queue) return;
  const __u64* old = clock_of(t->queue);
  const __u64* new = clock_of(queue);
  if (!old || !new) return;
  __u32 weight = t->counted;
  count_weight(t, 0);
  t->vtime += *new - *old;
  if (domain != t->domain) t->outside = false;
  t->domain = domain;
  t->queue = queue;
  count_weight(t, weight);
}

#endif /* FTAP_SCHEDS_DOMAIN_TASK_BPF_H */
