/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of sched_ext that our schedulers use: Documentation/scheduler/sched-ext.rst and kernel/sched/ext.c of Linux.
 * None of it is a stable interface of the kernel. So members and enum values are found by BTF when the object is
 * loaded, and functions that some kernel lacks are weak and asked for with bpf_ksym_exists().
 */
#ifndef FTAP_SCHEDS_SCX_BPF_H
#define FTAP_SCHEDS_SCX_BPF_H

#include "bpf/lib/kernel.bpf.h"
#include "scheds/lib/iter_num.bpf.h"

/* The iterator of bpf_for_each(scx_dsq, ...): as large as the kernel's, whatever it holds. */
struct bpf_iter_scx_dsq {
  __u64 opaque[6];
} __attribute__((aligned(8)));
int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq* it, __u64 dsq_id, __u64 flags) __ksym __weak;
struct task_struct* bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq* it) __ksym __weak;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq* it) __ksym __weak;

/*
 * The names are the kernel's, since CO-RE goes by them. The values are those of one kernel, so they are only read
 * through SCX().
 */
enum scx_public_consts {
  SCX_SLICE_DFL = 20 * 1000000,
};

enum scx_dsq_id_flags {
  SCX_DSQ_GLOBAL = 0x8000000000000001ULL,
  SCX_DSQ_LOCAL = 0x8000000000000002ULL,
  SCX_DSQ_LOCAL_ON = 0xC000000000000000ULL,
};

enum scx_kick_flags {
  SCX_KICK_IDLE = 1,
  SCX_KICK_PREEMPT = 2,
};

enum scx_wake_flags {
  SCX_WAKE_SYNC = 16,
};

enum scx_enq_flags {
  SCX_ENQ_WAKEUP = 1,
  SCX_ENQ_PREEMPT = 1ULL << 32,
};

enum scx_ent_flags {
  SCX_TASK_QUEUED = 1,
};

enum scx_exit_kind {
  SCX_EXIT_NONE = 0,
};

/* An enum value of the running kernel. */
#define SCX(type, value) bpf_core_enum_value(enum type, value)

/* enum scx_ops_flags; it is the same on every kernel with sched_ext. */
#define FTAP_OPS_KEEP_BUILTIN_IDLE (1 << 0) /* beside ops.update_idle */
#define FTAP_OPS_ENQ_EXITING (1 << 2)
#define FTAP_OPS_ENQ_MIGRATION_DISABLED (1 << 4)

struct scx_exit_info {
  enum scx_exit_kind kind;
  __s64 exit_code;
  const char* reason;
  char* msg;
} __ftap_core;

struct scx_cpu_release_args;
struct scx_init_task_args {
  bool fork; /* the current task makes it; otherwise the scheduler takes it over */
} __ftap_core;
struct scx_exit_task_args;

/* libbpf finds the members of the kernel's struct by name, so the ones that are used are enough. */
struct sched_ext_ops {
  __s32 (*select_cpu)(struct task_struct* p, __s32 prev_cpu, __u64 wake_flags);
  void (*enqueue)(struct task_struct* p, __u64 enq_flags);
  void (*dispatch)(__s32 cpu, struct task_struct* prev);
  void (*update_idle)(__s32 cpu, bool idle);
  void (*runnable)(struct task_struct* p, __u64 enq_flags);
  void (*running)(struct task_struct* p);
  void (*stopping)(struct task_struct* p, bool runnable);
  void (*quiescent)(struct task_struct* p, __u64 deq_flags);
  void (*set_weight)(struct task_struct* p, __u32 weight);
  void (*set_cpumask)(struct task_struct* p, const struct cpumask* cpumask);
  void (*cpu_release)(__s32 cpu, struct scx_cpu_release_args* args);
  __s32 (*init_task)(struct task_struct* p, struct scx_init_task_args* args);
  void (*enable)(struct task_struct* p);
  void (*exit_task)(struct task_struct* p, struct scx_exit_task_args* args);
  __s32 (*init)(void);
  void (*exit)(struct scx_exit_info* info);
  __u64 flags;
  __u32 timeout_ms;
  __u64 hotplug_seq;
  char name[128];
};

__s32 scx_bpf_select_cpu_dfl(struct task_struct* p, __s32 prev_cpu, __u64 wake_flags, bool* is_idle) __ksym;
void scx_bpf_dsq_insert(struct task_struct* p, __u64 dsq_id, __u64 slice, __u64 enq_flags) __ksym __weak;
bool scx_bpf_test_and_clear_cpu_idle(__s32 cpu) __ksym;
__s32 scx_bpf_pick_idle_cpu(const struct cpumask* allowed, __u64 flags) __ksym;
__s32 scx_bpf_task_cpu(const struct task_struct* p) __ksym;
/* In the BTF of Debian's 7.1 and 7.2 no program can name it. */
void scx_bpf_kick_cpu(__s32 cpu, __u64 flags) __ksym __weak;

/*
 * Makes a sleeping CPU look for tasks. Where the kernel cannot be told, the CPU looks at its next event, and the task
 * waits that long.
 */
static __always_inline void kick_idle(__s32 cpu) {
  if (bpf_ksym_exists(scx_bpf_kick_cpu)) scx_bpf_kick_cpu(cpu, SCX(scx_kick_flags, SCX_KICK_IDLE));
}

/*
 * Whether the task may run on only one CPU now. Most kernels disable migration of the current task while a BPF program
 * runs (__bpf_prog_enter()). On those that do not, a current task with migration disabled is taken for one that may
 * move. So this may choose the queue of a task, never its CPU: the kernel ends a scheduler that moves such a task by
 * itself, but leaves the task in a queue until its own CPU looks there.
 */
static __always_inline bool bound_to_cpu(const struct task_struct* p) {
  unsigned short by_us = p == bpf_get_current_task_btf();
  return p->nr_cpus_allowed == 1 || p->migration_disabled > by_us;
}

#endif /* FTAP_SCHEDS_SCX_BPF_H */
