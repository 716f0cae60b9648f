/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The smallest scheduler that is still correct and counts: a task goes directly onto an idle CPU if there is one,
 * otherwise to the end of the only queue. README.md explains it step by step.
 */
#include "scheds/lib/dispatch.bpf.h"
#include "scheds/lib/life.bpf.h"
#include "scheds/lib/taken.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* How each waiting task will have come to its CPU. */
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, ftap_way);
} ftap_ways SEC(".maps");

static __always_inline ftap_way* way_of(struct task_struct* p) {
  return bpf_task_storage_get(&ftap_ways, p, NULL, 0);
}

/* The task goes onto a CPU that was idle, and the CPU is no longer offered to whoever asks next. */
static __always_inline void put_on_idle(struct task_struct* p, __s32 cpu, __s32 prev_cpu, __u64 wake_flags,
                                        __u64 enq_flags) {
  bool sync = wake_flags & SCX(scx_wake_flags, SCX_WAKE_SYNC);
  __u32 slot = FTAP_SLOT_EXT_DIRECT;
  if (p->nr_cpus_allowed == 1)
    slot = FTAP_SLOT_EXT_PINNED;
  else if (cpu == prev_cpu)
    slot = sync ? FTAP_SLOT_EXT_WSYNC_PREV_IDLE : FTAP_SLOT_EXT_PREV_IDLE;
  dispatch_as(way_of(p), slot);
  scx_bpf_dsq_insert(p, SCX(scx_dsq_id_flags, SCX_DSQ_LOCAL), SCX(scx_public_consts, SCX_SLICE_DFL),
                     enq_flags);
}

SEC("struct_ops/fifo_select_cpu")
__s32 BPF_PROG(fifo_select_cpu, struct task_struct* p, __s32 prev_cpu, __u64 wake_flags) {
  bool idle = false;
  __s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &idle);
  /*
   * The waker's own CPU does not count as idle: two tasks that wake each other there would keep it from those that wait
   * in the queue. Where an interrupt wakes the task on a sleeping CPU there is no waker, and that CPU counts.
   */
  bool of_waker = cpu == (__s32)bpf_get_smp_processor_id() && bpf_get_current_task_btf()->pid;
  if (idle && !of_waker) put_on_idle(p, cpu, prev_cpu, wake_flags, 0);
  return cpu;
}

/* Not called for a task that fifo_select_cpu has put onto a CPU. */
SEC("struct_ops/fifo_enqueue")
void BPF_PROG(fifo_enqueue, struct task_struct* p, __u64 enq_flags) {
  __s32 its = scx_bpf_task_cpu(p);
  bool bound = bound_to_cpu(p);
  if (bound && scx_bpf_test_and_clear_cpu_idle(its)) {
    put_on_idle(p, its, its, 0, enq_flags);
    return;
  }
  dispatch_as(way_of(p), FTAP_SLOT_EXT_DSQ);
  scx_bpf_dsq_insert(p, SCX(scx_dsq_id_flags, SCX_DSQ_GLOBAL), SCX(scx_public_consts, SCX_SLICE_DFL),
                     enq_flags);
  /* A task that lost its CPU to one that is bound to it need not wait there while another CPU sleeps. */
  __s32 idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
  if (idle >= 0) kick_idle(idle);
}

SEC("struct_ops/fifo_running")
void BPF_PROG(fifo_running, struct task_struct* p) {
  count_dispatch(p, way_of(p));
}

/* The task sleeps, or is taken out: what was said about where it waits no longer holds. */
SEC("struct_ops/fifo_quiescent")
void BPF_PROG(fifo_quiescent, struct task_struct* p, __u64 deq_flags) {
  dispatch_as(way_of(p), FTAP_WAY_UNSAID);
}

/* Memory may be allocated here, unlike in all of the above. */
SEC("struct_ops.s/fifo_init_task")
__s32 BPF_PROG(fifo_init_task, struct task_struct* p, struct scx_init_task_args* args) {
  ftap_way* way = bpf_task_storage_get(&ftap_ways, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
  dispatch_as(way, FTAP_WAY_UNSAID); /* it may date from before a CPU came or went (kept_maps.hpp) */
  return way ? 0 : -12;              /* ENOMEM */
}

SEC("struct_ops.s/fifo_init")
__s32 BPF_PROG(fifo_init) {
  begin_scheduler();
  return 0;
}

SEC("struct_ops/fifo_exit")
void BPF_PROG(fifo_exit, struct scx_exit_info* info) {
  end_scheduler(info);
}

SEC(".struct_ops.link")
struct sched_ext_ops fifo = {
    .select_cpu = (void*)fifo_select_cpu,
    .enqueue = (void*)fifo_enqueue,
    .running = (void*)fifo_running,
    .quiescent = (void*)fifo_quiescent,
    .cpu_release = (void*)cpu_taken,
    .init_task = (void*)fifo_init_task,
    .init = (void*)fifo_init,
    .exit = (void*)fifo_exit,
    /* This scheduler also says how tasks are dispatched that end or must not be moved now. */
    .flags = FTAP_OPS_ENQ_EXITING | FTAP_OPS_ENQ_MIGRATION_DISABLED,
    .name = "fifo",
};
