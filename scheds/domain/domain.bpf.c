/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A scheduler for machines with several caches and NUMA nodes. A domain is the CPUs under one last-level cache of one
 * node. Each domain has one queue, ordered by virtual deadlines, and each task belongs to one domain. A task that may
 * not use all of its domain waits in the queue of a CPU.
 *
 *   wakes up ─▶ select_cpu: an idle CPU, the nearer the better ─────────────────────────▶ its local queue ─▶ runs
 *                    └ none ─▶ enqueue: a queue ─▶ dispatch: a CPU takes the first of its own and its domain's,
 *                                                  else of other CPUs, else of the nearest domain that has one
 *
 * Load moves between domains by the orders of the balancer in userspace (balance.hpp), which a task follows when it is put
 * into a queue.
 */
#include "scheds/domain/next.bpf.h"
#include "scheds/lib/life.bpf.h"
#include "scheds/lib/taken.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PF_EXITING 0x00000004 /* include/linux/sched.h */
#define PF_KTHREAD 0x00200000

void scx_bpf_dsq_insert_vtime(struct task_struct* p, __u64 dsq_id, __u64 slice, __u64 vtime,
                              __u64 enq_flags) __ksym __weak;
__s32 scx_bpf_create_dsq(__u64 dsq_id, __s32 node) __ksym __weak;

static __always_inline void put_local(struct task_struct* p, struct task_ctx* t, __u32 slot,
                                      __u64 enq_flags) {
  dispatch_as(&t->way, slot);
  scx_bpf_dsq_insert(p, SCX(scx_dsq_id_flags, SCX_DSQ_LOCAL), slice(t->domain, scx_bpf_task_cpu(p)),
                     enq_flags);
}

/*
 * The waker is about to sleep, so its CPU is as good as idle, and what it has just written is in its cache. The task
 * does not go there if somebody waits for that CPU, who would go on waiting while two tasks wake each other there. Nor
 * does it for long without a break, as the CPU looks for nobody else meanwhile. An interrupt that wakes a task looks
 * the same: it borrows the task it has found there, which may be of a higher class and not sleep for long.
 */
static __always_inline bool waker_takes(struct task_struct* p, __u32 domain, __s32 waker) {
  struct task_struct* current = bpf_get_current_task_btf();
  if (!current->pid || current->prio < FTAP_MAX_RT_PRIO || (current->flags & PF_EXITING)) return false;
  struct cpu_queue* its = cpu_queue_at(waker);
  __u64 now = bpf_ktime_get_ns();
  if (!its || (its->lent_at && now - its->lent_at > AWAY)) return false;
  bool takes = node_of(domain_of(waker)) == node_of(domain) && bpf_cpumask_test_cpu(waker, p->cpus_ptr) &&
               !somebody_waits(domain_of(waker), waker) &&
               scx_bpf_dsq_nr_queued(SCX(scx_dsq_id_flags, SCX_DSQ_LOCAL_ON) | waker) == 0 && any_idle();
  if (takes && !its->lent_at) its->lent_at = now;
  return takes;
}

/* The type depends on how far the CPU that was found is from the task's domain. */
static __always_inline __u32 direct_type(__u32 domain, __u32 found) {
  if (domain == found) return FTAP_SLOT_EXT_DIRECT;
  return node_of(domain) == node_of(found) ? FTAP_SLOT_EXT_DIRECT_GREEDY : FTAP_SLOT_EXT_DIRECT_GREEDY_FAR;
}

/*
 * Finds an idle CPU, the nearer to the task's domain the better, and its type in `slot`. If the CPU where the task ran
 * last is outside the domain it comes second, so that a task that was pulled away comes back.
 */
static __always_inline __s32 find_idle(struct task_struct* p, struct task_ctx* t, __s32 prev_cpu,
                                       __u32* slot) {
  __u32 domain = t->domain, i;
  if (domain >= FTAP_DOMAINS) return -1;
  bool at_home = domain_of(prev_cpu) == domain;
  bool allowed = bpf_cpumask_test_cpu(prev_cpu, p->cpus_ptr);
  if (at_home && allowed && scx_bpf_test_and_clear_cpu_idle(prev_cpu)) {
    *slot = FTAP_SLOT_EXT_PREV_IDLE;
    return prev_cpu;
  }
  __s32 cpu = pick_idle(p, domain);
  if (cpu >= 0) {
    *slot = FTAP_SLOT_EXT_DIRECT;
    return cpu;
  }
  if (!at_home && allowed && scx_bpf_test_and_clear_cpu_idle(prev_cpu)) {
    *slot = FTAP_SLOT_EXT_GREEDY_IDLE;
    return prev_cpu;
  }
  bpf_for(i, 1, nr_domains) {
    if (i >= FTAP_DOMAINS) break;
    __u32 other = nearest[domain][i];
    cpu = pick_idle(p, other);
    if (cpu < 0) continue;
    *slot = direct_type(domain, other);
    return cpu;
  }
  return -1;
}

SEC("struct_ops/domain_select")
__s32 BPF_PROG(domain_select, struct task_struct* p, __s32 prev_cpu, __u64 wake_flags) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return prev_cpu;
  __u32 slot = FTAP_SLOT_EXT_DIRECT;
  if (wake_flags & SCX(scx_wake_flags, SCX_WAKE_SYNC)) {
    __s32 waker = bpf_get_smp_processor_id();
    bool near = domain_of(prev_cpu) == domain_of(waker) && bpf_cpumask_test_cpu(prev_cpu, p->cpus_ptr);
    if (near && scx_bpf_test_and_clear_cpu_idle(prev_cpu)) {
      put_local(p, t, FTAP_SLOT_EXT_WSYNC_PREV_IDLE, 0);
      return prev_cpu;
    }
    if (waker_takes(p, t->domain, waker)) {
      put_local(p, t, FTAP_SLOT_EXT_WSYNC, 0);
      return waker;
    }
  }
  __s32 cpu = find_idle(p, t, prev_cpu, &slot);
  if (cpu < 0) return prev_cpu;
  put_local(p, t, slot, 0);
  return cpu;
}

/* Moves the task if the balancer wants load of its domain elsewhere and the task is not more than that. */
static __always_inline void follow_order(struct task_struct* p, struct task_ctx* t) {
  struct ftap_domain* domain = domain_at(t->domain);
  if (!domain) return;
  /*
   * The balancer writes `to` first, so what is left below was left for that domain, unless a CPU reads in another
   * order.
   */
  __u64 left = *(volatile __u64*)&domain->to_move;
  if (!left || !t->load || t->load > left) return;
  __u32 to = *(volatile __u32*)&domain->to;
  if (!may_use(p, to)) return;
  /* Another CPU may do the same right now. */
  if (__sync_val_compare_and_swap(&domain->to_move, left, left - t->load) != left) return;
  move_to(t, to, queue_for(p, t, to));
  stat_add(FTAP_CLASS_EXT, FTAP_SLOT_LOAD_BALANCE, 1);
}

/* Wakes a sleeping CPU for a task that waits. */
static __always_inline void kick_for(struct task_struct* p, __u32 domain) {
  __u32 i;
  if (domain >= FTAP_DOMAINS) return;
  bpf_for(i, 0, nr_domains) {
    if (i >= FTAP_DOMAINS) break;
    __s32 cpu = pick_idle(p, nearest[domain][i]);
    if (cpu < 0) continue;
    if (i) stat_add(FTAP_CLASS_EXT, FTAP_SLOT_KICK_GREEDY, 1);
    /* All CPUs of the domain slept, but that does not mean that they are away. */
    struct ftap_domain* home = i ? NULL : domain_at(domain);
    if (home) comes_for(home, bpf_ktime_get_ns());
    kick_idle(cpu);
    return;
  }
}

/*
 * For a task that is bound to one CPU. A kernel thread that wakes up has work that others wait for, and goes first. One
 * that does not sleep waits its turn like everybody, so that none starves. True if that settled it.
 */
static __always_inline bool put_bound(struct task_struct* p, struct task_ctx* t, __u64 enq_flags) {
  __s32 cpu = scx_bpf_task_cpu(p);
  __u32 domain = domain_of(cpu);
  if (domain < FTAP_DOMAINS) move_to(t, domain, QUEUE_OF_CPU + cpu);
  if ((p->flags & PF_KTHREAD) && (enq_flags & SCX(scx_enq_flags, SCX_ENQ_WAKEUP))) {
    put_local(p, t, FTAP_SLOT_EXT_DIRECT, enq_flags | SCX(scx_enq_flags, SCX_ENQ_PREEMPT));
    return true;
  }
  if (!scx_bpf_test_and_clear_cpu_idle(cpu)) return false;
  put_local(p, t, FTAP_SLOT_EXT_PINNED, enq_flags);
  return true;
}

SEC("struct_ops/domain_enqueue")
void BPF_PROG(domain_enqueue, struct task_struct* p, __u64 enq_flags) {
  struct task_ctx* t = ctx_of(p);
  if (!t) {
    scx_bpf_dsq_insert(p, SCX(scx_dsq_id_flags, SCX_DSQ_GLOBAL), SLICE_CROWDED, enq_flags);
    return;
  }
  if (bound_to_cpu(p)) {
    if (put_bound(p, t, enq_flags)) return;
  } else {
    follow_order(p, t);
    move_to(t, t->domain, queue_for(p, t, t->domain));
  }
  dispatch_as(&t->way, FTAP_SLOT_EXT_DSQ);
  t->queued = t->domain;
  t->key = deadline(t);
  /* The short slice is for the task that has the CPU in between: it may have to wait when this one's turn comes. */
  scx_bpf_dsq_insert_vtime(p, t->queue, SLICE_CROWDED, t->key, enq_flags);
  kick_for(p, t->domain);
}

SEC("struct_ops/domain_dispatch")
void BPF_PROG(domain_dispatch, __s32 cpu, struct task_struct* prev) {
  __u32 domain = domain_of(cpu), i;
  struct ftap_domain* home = domain < FTAP_DOMAINS ? domain_at(domain) : NULL;
  struct cpu_queue* own = cpu_queue_at(cpu);
  if (!home || !own) return;
  __u64 now = bpf_ktime_get_ns();
  bool runs_on = prev && (prev->scx.flags & SCX(scx_ent_flags, SCX_TASK_QUEUED));
  if (help(own, home, domain, cpu, now) || choose(prev, runs_on, domain, cpu, own, home)) return;
  /* The task that ran here runs on before one of another CPU is pulled over. */
  if (runs_on) {
    prev->scx.slice = SLICE_ALONE;
    return;
  }
  bpf_for(i, 0, nr_domains) {
    if (i >= FTAP_DOMAINS) break;
    __u32 other = nearest[domain][i];
    if ((i && scx_bpf_dsq_move_to_local(other)) || take_of_cpus(other, cpu, false, now)) return;
  }
}

/*
 * A CPU goes to sleep. A task that was queued between its last look and now has not found it asleep, and nobody else
 * may come for long. Since 6.16 the kernel marks the CPU as idle first. But it puts a task into its queue only after
 * domain_enqueue(), so what comes in between waits for the next look of some CPU.
 */
SEC("struct_ops/domain_idle")
void BPF_PROG(domain_idle, __s32 cpu, bool idle) {
  __u32 domain = domain_of(cpu);
  if (idle && domain < FTAP_DOMAINS && somebody_waits(domain, cpu)) kick_idle(cpu);
}

SEC("struct_ops/domain_runnable")
void BPF_PROG(domain_runnable, struct task_struct* p, __u64 enq_flags) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  t->wants_since = bpf_ktime_get_ns();
  count_weight(t, t->weight);
  bound_budget(t);
}

/* How far the CPU that took the task is from the queue it waited in; the rows of scheds.def stand in this order. */
static __always_inline __u32 taken_type(__u32 queued, __u32 taker) {
  if (queued == taker) return FTAP_SLOT_EXT_DSQ;
  return node_of(queued) == node_of(taker) ? FTAP_SLOT_EXT_GREEDY_LOCAL : FTAP_SLOT_EXT_GREEDY_XNUMA;
}

/* Whether nobody comes for the tasks in the queue where this one waited. */
static __always_inline bool left_behind(const struct task_ctx* t, __u64 now) {
  return t->queue < QUEUE_OF_CPU ? is_left(t->queue, now) : is_away(t->queue - QUEUE_OF_CPU, now);
}

SEC("struct_ops/domain_running")
void BPF_PROG(domain_running, struct task_struct* p) {
  struct task_ctx* t = ctx_of(p);
  if (t) {
    __u32 cpu = bpf_get_smp_processor_id();
    bool from_queue = t->way == FTAP_SLOT_EXT_DSQ;
    if (from_queue) t->way = taken_type(t->queued, domain_of(cpu));
    if (from_queue && domain_of(cpu) != t->domain && left_behind(t, bpf_ktime_get_ns())) {
      /* It is not enough to take it once: it would wait there again. */
      move_to(t, domain_of(cpu), queue_for(p, t, domain_of(cpu)));
      stat_add(FTAP_CLASS_EXT, FTAP_SLOT_LOAD_BALANCE, 1);
      from_queue = false;
    }
    if (t->queue >= QUEUE_OF_CPU && t->queue != QUEUE_OF_CPU + cpu && domain_of(cpu) == t->domain) {
      move_to(t, t->domain, QUEUE_OF_CPU + cpu);
      from_queue = false; /* its place was on another clock */
    }
    bool outside = domain_of(cpu) != t->domain;
    if (t->outside && !outside) stat_add(FTAP_CLASS_EXT, FTAP_SLOT_REPATRIATE, 1);
    t->outside = outside;
    t->ran_before = p->se.sum_exec_runtime;
    t->since = bpf_ktime_get_ns();
    advance_clock(t, from_queue, cpu);
  }
  count_dispatch(p, t ? &t->way : NULL);
}

SEC("struct_ops/domain_stopping")
void BPF_PROG(domain_stopping, struct task_struct* p, bool runnable) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  charge(p, t);
  if (!runnable) end_burst(t);
  account_load(t, bpf_ktime_get_ns());
}

SEC("struct_ops/domain_quiet")
void BPF_PROG(domain_quiet, struct task_struct* p, __u64 deq_flags) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  account_load(t, bpf_ktime_get_ns());
  t->wants_since = 0;
  count_weight(t, 0);
  dispatch_as(&t->way, FTAP_WAY_UNSAID);
}

SEC("struct_ops/domain_weight")
void BPF_PROG(domain_weight, struct task_struct* p, __u32 weight) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  t->weight = weight;
  if (t->counted) count_weight(t, weight);
}

SEC("struct_ops/domain_cpumask")
void BPF_PROG(domain_cpumask, struct task_struct* p, const struct cpumask* cpumask) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  __u32 domain = usable_domain(p, t->domain);
  move_to(t, domain, queue_for(p, t, domain));
}

/* A task becomes ours: it begins where its queue stands, or as far ahead of that as its parent is. */
SEC("struct_ops/domain_enable")
void BPF_PROG(domain_enable, struct task_struct* p) {
  struct task_ctx* t = ctx_of(p);
  if (!t) return;
  const __u64* clock = clock_of(t->queue);
  if (clock) t->vtime = *clock + t->lead;
  t->lead = 0;
}

/* Memory may be allocated here, unlike in all of the above. */
SEC("struct_ops.s/domain_new_task")
__s32 BPF_PROG(domain_new_task, struct task_struct* p, struct scx_init_task_args* args) {
  struct task_ctx* t = bpf_task_storage_get(&ftap_task_ctxs, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!t) return -12;       /* ENOMEM */
  *t = (struct task_ctx){}; /* it may date from before a CPU came or went (kept_maps.hpp) */
  bpf_rcu_read_lock();
  t->domain = usable_domain(p, domain_of(scx_bpf_task_cpu(p)));
  t->queue = queue_for(p, t, t->domain);
  bpf_rcu_read_unlock();
  t->queued = t->domain;
  if (args->fork) t->lead = lead_of(bpf_get_current_task_btf());
  t->weight = FTAP_WEIGHT_NORMAL;
  t->cycle = balance_cycle;
  t->cycle_began = bpf_ktime_get_ns();
  return 0;
}

SEC("struct_ops.s/domain_init")
__s32 BPF_PROG(domain_init) {
  __u32 i;
  bpf_for(i, 0, nr_cpus) {
    __s32 err = make_scratch(i);
    if (!err) err = scx_bpf_create_dsq(QUEUE_OF_CPU + i, -1);
    if (err) return err;
  }
  bpf_for(i, 0, nr_domains) {
    __s32 err = make_domain_mask(i);
    if (!err) err = scx_bpf_create_dsq(i, -1);
    if (err) return err;
  }
  begin_scheduler();
  return 0;
}

SEC("struct_ops/domain_exit")
void BPF_PROG(domain_exit, struct scx_exit_info* info) {
  end_scheduler(info);
}

_Static_assert(FTAP_SLOT_EXT_GREEDY_LOCAL == FTAP_SLOT_EXT_DSQ + 1 &&
                   FTAP_SLOT_EXT_GREEDY_XNUMA == FTAP_SLOT_EXT_DSQ + 2,
               "row order");

SEC(".struct_ops.link")
struct sched_ext_ops domain = {
    .select_cpu = (void*)domain_select,
    .enqueue = (void*)domain_enqueue,
    .dispatch = (void*)domain_dispatch,
    .update_idle = (void*)domain_idle,
    .runnable = (void*)domain_runnable,
    .running = (void*)domain_running,
    .stopping = (void*)domain_stopping,
    .quiescent = (void*)domain_quiet,
    .set_weight = (void*)domain_weight,
    .set_cpumask = (void*)domain_cpumask,
    .cpu_release = (void*)cpu_taken,
    .enable = (void*)domain_enable,
    .init_task = (void*)domain_new_task,
    .init = (void*)domain_init,
    .exit = (void*)domain_exit,
    .flags = FTAP_OPS_KEEP_BUILTIN_IDLE | FTAP_OPS_ENQ_EXITING | FTAP_OPS_ENQ_MIGRATION_DISABLED,
    .name = "domain",
};
