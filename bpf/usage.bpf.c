/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells which cgroups come and go in the hierarchy that tells usage apart (lib/usage_cgroup.bpf.h), with their paths.
 * That names the owners of what bpf/dispatch.bpf.c accounts for (lib/usage.bpf.h), even where a cgroup was gone before
 * anybody could look.
 *
 * The kernel fires these events with interrupts off (kernel: TRACE_CGROUP_PATH), so no program makes itself miss one.
 *
 * Only two things wake the reader: an end, and a ring that fills up. A cgroup's files tell what it has used only for as
 * long as its runtime takes to remove it.
 *
 * It also tells how containers begin and end. A container is known by its first process, which is number 1 of a pid
 * namespace that was made in flowtapd's own. A container that shares another one's pid namespace has no such process,
 * so its end is not told; but its cgroup's loss of its last process is, as for a unit.
 *
 * Of all other processes, those are told whose end explains something: the kernel chose to kill it because memory was
 * short, or its parent is outside of its cgroup. The latter are the processes of a systemd unit that systemd itself
 * waits for. How a unit ended is known only if ends with 0 are told, too.
 */
#include "bpf/abi/cgroup_event.h"
#include "bpf/lib/kernel.bpf.h"
#include "bpf/lib/usage_cgroup.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define FTAP_RING_BYTES (1 << 20) /* 1,000 events */

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, FTAP_RING_BYTES);
} ftap_cgroups SEC(".maps");

/* Events that found no room in the ring. */
__u64 ftap_lost = 0;

/* Whoever can wait for the reader must not make others lose their room. */
static __always_inline __u64 wakes_if(bool urgent) {
  return urgent || bpf_ringbuf_query(&ftap_cgroups, BPF_RB_AVAIL_DATA) > FTAP_RING_BYTES / 4
             ? BPF_RB_FORCE_WAKEUP
             : BPF_RB_NO_WAKEUP;
}

static __always_inline int tell(struct cgroup* cgroup, const char* path, __u32 kind) {
  if (!tells_usage(cgroup)) return 0;
  struct ftap_cgroup_event* event = bpf_ringbuf_reserve(&ftap_cgroups, sizeof(*event), 0);
  if (!event) {
    __sync_fetch_and_add(&ftap_lost, 1);
    return 0;
  }
  event->id = cgroup->kn->id;
  event->kind = kind;
  long length = bpf_probe_read_kernel_str(event->path, sizeof(event->path), path);
  event->length = length > 0 ? length : 0;
  bpf_ringbuf_submit(event, wakes_if(kind == FTAP_CGROUP_EMPTY));
  return 0;
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(ftap_made, struct cgroup* cgroup, const char* path) {
  return tell(cgroup, path, FTAP_CGROUP_MADE);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(ftap_gone, struct cgroup* cgroup, const char* path) {
  return tell(cgroup, path, FTAP_CGROUP_GONE);
}

/* The cgroups above that are empty now as well are reported at once, so that userspace looks only once. */
SEC("tp_btf/cgroup_notify_populated")
int BPF_PROG(ftap_empty, struct cgroup* cgroup, const char* path, int populated) {
  return populated ? 0 : tell(cgroup, path, FTAP_CGROUP_EMPTY);
}

/* The inode number of flowtapd's own pid namespace; set by userspace. */
const volatile __u32 ftap_pid_ns = 0;

#define SIGNAL_GROUP_EXIT 0x00000004 /* kernel: include/linux/sched/signal.h */
#define PF_FORKNOEXEC 0x00000040     /* kernel: include/linux/sched.h */
#define FTAP_PID_LEVELS 32           /* kernel: MAX_PID_NS_LEVEL */

/* The pid in flowtapd's own pid namespace of a container's first process; 0: the task is not one. */
static __always_inline __u32 first_of_container(struct task_struct* task) {
  struct pid* pid = BPF_CORE_READ(task, thread_pid);
  unsigned int level = BPF_CORE_READ(pid, level);
  if (level == 0 || level > FTAP_PID_LEVELS) return 0;
  struct upid number, above;
  const char* numbers = (const char*)__builtin_preserve_access_index(&pid->numbers[0]);
  if (bpf_probe_read_kernel(&number, sizeof(number), numbers + level * sizeof(number)) ||
      bpf_probe_read_kernel(&above, sizeof(above), numbers + (level - 1) * sizeof(above)))
    return 0;
  return number.nr == 1 && BPF_CORE_READ(number.ns, parent, ns.inum) == ftap_pid_ns ? above.nr : 0;
}

/* What was already told about a task. */
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, __u32);
} ftap_told SEC(".maps");

/*
 * Userspace looks at the container's network then: its runtime has put it there by now, and it may be over before the
 * next look.
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(ftap_began, struct task_struct* task) {
  __u32 number = first_of_container(task);
  if (!number) return 0;
  /* Told only once: a process that executes one program after the other must not keep waking somebody. */
  __u32* told = bpf_task_storage_get(&ftap_told, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (told && *told) return 0;
  if (!told) {
    /* There was no memory for it. */
    __sync_fetch_and_add(&ftap_lost, 1);
    return 0;
  }
  *told = 1;
  struct ftap_container_begin* event = bpf_ringbuf_reserve(&ftap_cgroups, sizeof(*event), 0);
  if (!event) {
    __sync_fetch_and_add(&ftap_lost, 1);
    return 0;
  }
  event->id = usage_cgroup(task)->kn->id;
  event->kind = FTAP_CGROUP_BEGAN;
  event->pid = number;
  bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
  return 0;
}

#define FTAP_SIGKILL 9
#define FTAP_SIGNAL_MASK 0x7f /* of a status as wait(2) has it */

/* The kernel also marks a process that was ending by itself at that moment. */
static __always_inline bool killed_for_memory(struct signal_struct* signal, __u32 status) {
  return (status & FTAP_SIGNAL_MASK) == FTAP_SIGKILL && BPF_CORE_READ(signal, oom_mm) != 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(ftap_ended, struct task_struct* task) {
  /* A process ends with its last thread, which need not be its first. Where the last two end at once, both may tell. */
  struct task_struct* first = task->group_leader;
  if (task->signal->live.counter != 0) return 0;
  __u32 status = BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT
                     ? BPF_CORE_READ(task, signal, group_exit_code)
                     : first->exit_code;
  struct cgroup* cgroup = usage_cgroup(task);
  bool of_container = first_of_container(first);
  bool oom = killed_for_memory(task->signal, status);
  bool outer_parent = usage_cgroup(first->real_parent) != cgroup;
  if (!of_container && !oom && !outer_parent) return 0;
  struct ftap_process_end* event = bpf_ringbuf_reserve(&ftap_cgroups, sizeof(*event), 0);
  if (!event) {
    __sync_fetch_and_add(&ftap_lost, 1);
    return 0;
  }
  event->id = cgroup->kn->id;
  event->kind = of_container ? FTAP_CGROUP_ENDED : FTAP_CGROUP_PROCESS_ENDED;
  event->status = status;
  event->time = bpf_ktime_get_ns();
  event->flags = (oom ? FTAP_END_OOM : 0) | (first->flags & PF_FORKNOEXEC ? 0 : FTAP_END_STARTED) |
                 (outer_parent ? FTAP_END_OUTER_PARENT : 0);
  event->unused = 0;
  if (bpf_probe_read_kernel_str(event->name, sizeof(event->name),
                                __builtin_preserve_access_index(&first->comm[0])) < 0)
    event->name[0] = 0;
  /* Whoever ends in a unit can wait: the unit's name is in its cgroup's path. */
  bpf_ringbuf_submit(event, wakes_if(of_container || oom));
  return 0;
}
