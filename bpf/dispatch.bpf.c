/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts every dispatch: each switch of a CPU to a task that is not the idle task is one, and gets exactly one of the
 * types in stats/kernel.def. It needs BTF and tp_btf but no sched_ext, so it runs on kernels >= 6.1.
 *
 * What a task went through between leaving a CPU and getting one is followed in its record (an array, or task
 * storage):
 *
 *   asleep (BLOCKED) ──sched_waking──▶ who wakes it, where it ran ──sched_wakeup──▶ WOKEN ─┐
 *   a fork           ──sched_wakeup_new──────────────────────────────────────────▶ NEW ───┼──sched_switch──▶ RUNNING
 *   switched out while runnable ──sched_switch──────────────────────────────▶ PREEMPTED ──┘
 *                         (sched_migrate_task on the way: moved while it waited)
 *
 * Records are made where memory may be allocated, in task_newtask and, for the tasks that were there before
 * us, by an iterator: sched_switch holds the run queue's lock, and an allocation there could wake kswapd and
 * wait for that lock for ever. Without a record a dispatch is `unobserved`, never left out; so is one whose
 * switch was not seen.
 *
 * sched_waking runs under the task's pi_lock, the other events under its run queue's lock, so waking and
 * switching out may happen at the same time on two CPUs. They write different fields, and only sched_wakeup
 * turns BLOCKED into WOKEN.
 *
 * The synchronous wake-up. The wake flags are not in the tracepoints; what WF_SYNC promises is that the waker
 * is about to sleep. So a wake-up counts as synchronous when the waker's next switch took it off its CPU and
 * it went to sleep. At the dispatch of the woken task this is known
 *   - on the waker's CPU, when this very switch takes the waker off (the CPU has not switched since);
 *   - on another CPU, when the waker's CPU has switched exactly once since.
 * While the waker still runs, or after its CPU switched more than once (the record of its own switch is
 * overwritten), its fate is not known and the wake-up counts as not synchronous: the type then tells the
 * placement alone. "The waker" is the task that ran where the wake-up was made; the idle task never is one.
 * An interrupt that wakes borrows the identity of the task that it interrupted.
 */
#include "bpf/abi/cpu.h"
#include "bpf/lib/cycles.bpf.h"
#include "bpf/lib/ext_class.bpf.h"
#include "bpf/lib/ext_self.bpf.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/stat.bpf.h"
#include "bpf/lib/task_record.bpf.h"
#include "bpf/lib/usage_running.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * Where not 0, only dispatches of tasks in this very cgroup (v2 id) are counted. It is set before load: where the
 * constant is 0 the verifier removes the check.
 */
const volatile __u64 ftap_only_cgroup = 0;

SEC("iter/task")
int ftap_task_iter(struct bpf_iter__task* ctx) {
  struct task_struct* task = ctx->task;
  if (task) make_record(task, false);
  return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(ftap_newtask, struct task_struct* task) {
  make_record(task, true);
  if (!ftap_usage_on) return 0;
  /* Everything the task will run is still to come here, so nothing is lost if its first dispatch is not seen. */
  struct ftap_task* t = record_of(task);
  if (t) group_of(task, t, css_of(task));
  return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(ftap_free, struct task_struct* task) {
  /* This comes after the last switch away from the task: the scheduler's own reference is gone by now. */
  struct ftap_near* near = near_of(task);
  if (!near || near->owner != (__u64)task) {
    struct ftap_task* stored = ftap_usage_on ? bpf_task_storage_get(&ftap_tasks, task, NULL, 0) : NULL;
    if (stored) account_rest(task, stored);
    return 0;
  }
  if (ftap_usage_on) account_rest(task, &near->task);
  forget(&near->task);
  near->owner = 0;
  return 0;
}

/* Interrupts are off here (kernel: TRACE_CGROUP_PATH), so no switch comes in between. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(ftap_moved, struct cgroup* to, const char* path, struct task_struct* task) {
  if (!ftap_usage_on || task != bpf_get_current_task_btf()) return 0;
  struct ftap_task* t = record_of(task);
  if (t) account_move(task, t);
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(ftap_waking, struct task_struct* task) {
  struct ftap_task* t = record_of(task);
  if (!t) return 0;
  __u32 here = bpf_get_smp_processor_id();
  struct ftap_cpu* cpu = cpu_of(here);
  t->waker_cpu = cpu && cpu->task ? here : FTAP_NO_CPU;
  t->waker_switches = cpu ? cpu->switches : 0;
  t->prev_cpu = task->thread_info.cpu;
  return 0;
}

static __always_inline void became_runnable(struct ftap_task* t, struct task_struct* task, __u32 state) {
  struct ftap_cpu* target = cpu_of(task->thread_info.cpu);
  t->runnable_since = bpf_ktime_get_ns();
  t->target_switches = target ? target->switches : 0;
  t->moved_from = FTAP_NO_CPU;
  t->state = state;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(ftap_wakeup, struct task_struct* task) {
  struct ftap_task* t = record_of(task);
  /* A wake-up of a task that runs or already waits changes nothing. It only takes back the task's intent to sleep. */
  if (t && (t->state == FTAP_TASK_BLOCKED || t->state == FTAP_TASK_UNKNOWN))
    became_runnable(t, task, FTAP_TASK_WOKEN);
  return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(ftap_wakeup_new, struct task_struct* task) {
  struct ftap_task* t = record_of(task);
  if (t) became_runnable(t, task, FTAP_TASK_NEW);
  return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(ftap_migrate, struct task_struct* task, int dest_cpu) {
  struct ftap_task* t = record_of(task);
  /* While BLOCKED this is the placement of a wake-up, which the dispatch finds by comparing with prev_cpu. */
  if (!t || (t->state != FTAP_TASK_WOKEN && t->state != FTAP_TASK_PREEMPTED)) return 0;
  if (t->moved_from == FTAP_NO_CPU) t->moved_from = task->thread_info.cpu;
  return 0;
}

/* How far apart two CPUs are; the rows of kernel.def stand in this order from _LLC on. */
enum ftap_distance { FTAP_SAME_CPU, FTAP_SAME_LLC, FTAP_SAME_NODE, FTAP_OTHER_NODE };

static __always_inline __u32 distance(struct ftap_cpu* here, __u32 here_id, __u32 there_id) {
  if (here_id == there_id) return FTAP_SAME_CPU;
  struct ftap_cpu* there = cpu_of(there_id);
  if (!there) return FTAP_OTHER_NODE;
  if (here->llc == there->llc && here->llc != FTAP_PLACE_UNKNOWN) return FTAP_SAME_LLC;
  if (here->node == there->node && here->node != FTAP_PLACE_UNKNOWN) return FTAP_SAME_NODE;
  return FTAP_OTHER_NODE;
}

static __always_inline bool woken_synchronously(struct ftap_task* t, struct ftap_cpu* here, __u32 here_id,
                                                bool prev_blocked) {
  if (t->waker_cpu == here_id) return t->waker_switches == here->switches && prev_blocked;
  struct ftap_cpu* waker = cpu_of(t->waker_cpu);
  return waker && waker->switches == t->waker_switches + 1 && waker->last_blocked;
}

struct ftap_switch {
  __u32 cpu_id;
  bool prev_idle;    /* the CPU was idle */
  bool prev_blocked; /* the task that leaves goes to sleep (the idle task never does) */
  /* Addresses. They are read first, where the verifier comes by in one state only (see untrusted()). */
  __u64 prev_css, next_css, next_class;
};

/* The type of this dispatch as a slot. The order of the questions is that of the rows in kernel.def. */
static __always_inline __u32 dispatch_type(struct task_struct* task, struct ftap_task* t,
                                           struct ftap_cpu* here, const struct ftap_switch* sw) {
  if (!t) return FTAP_SLOT_UNOBSERVED;
  if (t->state == FTAP_TASK_NEW) return FTAP_SLOT_NEW;
  if (t->state != FTAP_TASK_WOKEN && t->state != FTAP_TASK_PREEMPTED) return FTAP_SLOT_UNOBSERVED;

  if (t->moved_from != FTAP_NO_CPU && t->moved_from != sw->cpu_id)
    return FTAP_SLOT_PULLED_LLC + distance(here, sw->cpu_id, t->moved_from) - FTAP_SAME_LLC;
  if (t->state == FTAP_TASK_PREEMPTED) return FTAP_SLOT_PREEMPTED;

  if (task->nr_cpus_allowed == 1) return FTAP_SLOT_PINNED;
  bool sync = t->waker_cpu != FTAP_NO_CPU && woken_synchronously(t, here, sw->cpu_id, sw->prev_blocked);
  if (sync && t->waker_cpu == sw->cpu_id) return FTAP_SLOT_WSYNC;
  if (sync && sw->prev_idle && t->prev_cpu == sw->cpu_id) return FTAP_SLOT_WSYNC_PREV_IDLE;
  __u32 far = distance(here, sw->cpu_id, t->prev_cpu);
  if (sw->prev_idle) return FTAP_SLOT_PREV_IDLE + far;
  if (!sw->prev_blocked && t->target_switches == here->switches) return FTAP_SLOT_WAKE_PREEMPT;
  return FTAP_SLOT_QUEUED + far;
}

_Static_assert(FTAP_SLOT_PULLED_XNUMA == FTAP_SLOT_PULLED_LLC + FTAP_OTHER_NODE - FTAP_SAME_LLC, "row order");
_Static_assert(FTAP_SLOT_IDLE_XNUMA == FTAP_SLOT_PREV_IDLE + FTAP_OTHER_NODE, "row order");
_Static_assert(FTAP_SLOT_QUEUED_XNUMA == FTAP_SLOT_QUEUED + FTAP_OTHER_NODE, "row order");

static __always_inline bool is_counted(struct task_struct* task) {
  return !ftap_only_cgroup || task->cgroups->dfl_cgrp->kn->id == ftap_only_cgroup;
}

static __always_inline __u32 class_at(__u64 address) {
  return is_ext(address) ? FTAP_CLASS_EXT : FTAP_CLASS_KERNEL;
}

/* Exactly one counts the type: the tracing programs, or the task's scheduler. */
static __always_inline void add_type(struct ftap_block* block, __u32 class, __u32 type) {
  if (class == FTAP_CLASS_EXT && ext_counts_itself()) return;
  stat_add_to(block, class, type, 1);
}

static __always_inline void count_type(struct ftap_block* block, struct task_struct* next,
                                       struct ftap_task* t, struct ftap_cpu* here,
                                       const struct ftap_switch* sw, __u64 now) {
  __u32 class = class_at(sw->next_class);
  __u32 type = dispatch_type(next, t, here, sw);
  add_type(block, class, type);
  if (!t || type == FTAP_SLOT_UNOBSERVED) return;
  /* The clocks of two CPUs may differ by a little; a wait is never negative. */
  __u64 waited = now > t->runnable_since ? now - t->runnable_since : 0;
  stat_observe_to(block, class, FTAP_SLOT_LATENCY, waited);
}

/*
 * A task that leaves a CPU must have come to it. Where its record says that it did not, the switch that brought it was
 * not seen (a recursion miss, or a kernel that hides some tasks' switches from tracing). That dispatch is counted now,
 * so that the sums stay whole. UNKNOWN is no such case: the task has been running since before we attached.
 */
static __always_inline void count_unseen_dispatch(struct task_struct* prev, struct ftap_task* t) {
  if (t->state == FTAP_TASK_RUNNING || t->state == FTAP_TASK_UNKNOWN || !is_counted(prev)) return;
  struct ftap_block* block = stat_block();
  if (block) add_type(block, class_at(class_address(untrusted(prev))), FTAP_SLOT_UNOBSERVED);
}

static __always_inline void count_dispatch(struct task_struct* next, struct ftap_cpu* here,
                                           const struct ftap_switch* sw, __u64 now) {
  struct ftap_block* block = stat_block();
  struct ftap_task* t = record_of(next);
  if (block && is_counted(next)) count_type(block, next, t, here, sw, now);
  account_dispatch(next, t, sw->next_css, sw->cpu_id, now);
  if (t) t->state = FTAP_TASK_RUNNING;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(ftap_switch, bool preempt, struct task_struct* prev, struct task_struct* next) {
  struct ftap_switch sw = {.cpu_id = bpf_get_smp_processor_id(),
                           .prev_idle = prev->pid == 0,
                           .prev_css = css_of(prev),
                           .next_css = css_of(next),
                           .next_class = class_address(next)};
  struct ftap_cpu* here = cpu_of(sw.cpu_id);
  if (!here) return 0;
  __u64 now = bpf_ktime_get_ns();
  __u64 cycles = cycles_since_switch(here);

  if (!sw.prev_idle) {
    /*
     * The task is runnable if it did not want to sleep: it was preempted inside the kernel (whatever its state says),
     * or its state is still running. This asks the state, because before 6.12 the event's prev_state also shows the
     * wish to sleep where a pending signal has just taken it back.
     */
    sw.prev_blocked = !preempt && prev->__state;
    struct ftap_task* t = record_of(prev);
    if (t) {
      count_unseen_dispatch(prev, t);
      account_run(prev, t, sw.prev_css, sw.cpu_id);
      account_cycles(t, sw.cpu_id, cycles);
      if (!sw.prev_blocked) {
        t->runnable_since = now;
        t->moved_from = FTAP_NO_CPU;
      }
      t->state = sw.prev_blocked ? FTAP_TASK_BLOCKED : FTAP_TASK_PREEMPTED;
    }
  }
  if (next->pid) count_dispatch(next, here, &sw, now);

  here->task = next->pid ? (__u64)next : 0;
  here->last_blocked = sw.prev_blocked;
  here->switches++;
  return 0;
}
