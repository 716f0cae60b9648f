/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is running right now. A task that has its CPU to itself is not switched out for seconds, and one that polls on
 * an isolated CPU never is. Userspace runs this before it reads the usage.
 */
#ifndef FTAP_LIB_USAGE_RUNNING_BPF_H
#define FTAP_LIB_USAGE_RUNNING_BPF_H

#include "bpf/lib/usage.bpf.h"

/* bpf_loop() ends earlier, at the first CPU that does not exist. */
#define FTAP_MOST_CPUS 65536

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* the loader sets it to the highest possible CPU + 1 */
  __type(key, __u32);
  __type(value, struct ftap_running);
} ftap_runnings SEC(".maps");

/*
 * This is read while the CPU goes on. Its task may be switched out, and then its group's usage may hold what is told
 * here as well by the time that somebody reads that. The next time it is not told again.
 */
static long look_at_cpu(__u32 cpu, void* unused) {
  struct ftap_running* running = bpf_map_lookup_elem(&ftap_runnings, &cpu);
  struct ftap_cpu* there = cpu_of(cpu);
  if (!running || !there) return 1;
  running->run_ns = 0;
  struct task_struct* task = (struct task_struct*)there->task;
  struct ftap_near* near = near_of(task);
  /* A task whose record stands elsewhere is reported at its next switch, and so is one that has just come. */
  if (!task || !near || near->owner != (__u64)task || near->task.state != FTAP_TASK_RUNNING ||
      !near->task.css)
    return 0;
  __u64 ran = BPF_CORE_READ(task, se.sum_exec_runtime);
  if (ran <= near->task.ran) return 0;
  running->group = near->task.group;
  running->cycles = there->cycles;
  running->run_ns = ran - near->task.ran;
  return 0;
}

SEC("syscall")
int ftap_look(void* ctx) {
  bpf_loop(FTAP_MOST_CPUS, look_at_cpu, NULL, 0);
  return 0;
}

#endif /* FTAP_LIB_USAGE_RUNNING_BPF_H */
