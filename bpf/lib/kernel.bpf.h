/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types, as far as we use them. CO-RE finds the real offsets in the running kernel's BTF, so no vmlinux.h
 * is needed and the build does not depend on the building machine's kernel.
 */
#ifndef FTAP_LIB_KERNEL_BPF_H
#define FTAP_LIB_KERNEL_BPF_H

#include <linux/bpf.h>
/* This comes after linux/bpf.h because it uses __u64 and its like from there. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef _Bool bool;
#define true 1
#define false 0

#define __ftap_core __attribute__((preserve_access_index))

struct sched_class {
} __ftap_core;

/* Since 5.16 a task's CPU stands in its thread_info on every architecture that we support. */
struct thread_info {
  unsigned long flags;
  __u32 status; /* only on x86 */
  __u32 cpu;
} __ftap_core;

typedef struct {
  unsigned int val;
} kuid_t;

struct kernfs_iattrs {
  kuid_t ia_uid; /* as process 1's user namespace has it */
} __ftap_core;

struct kernfs_node {
  struct kernfs_iattrs* iattr; /* NULL: root's */
  __u64 id; /* of a cgroup's directory: its inode number, which userspace calls the cgroup id */
  const char* name;
  struct kernfs_node* __parent;
} __ftap_core;

struct kernfs_node___before_6_15 {
  struct kernfs_node* parent;
} __ftap_core;

struct cgroup_root {
  int hierarchy_id; /* 0: the cgroup v2 hierarchy; as in /proc/PID/cgroup */
} __ftap_core;

struct cgroup {
  struct cgroup_root* root;
  struct kernfs_node* kn;
  int level; /* 0: the root */
} __ftap_core;

/* The state of one controller for one cgroup. */
struct cgroup_subsys_state {
  struct cgroup* cgroup;
} __ftap_core;

/* The kernel's real numbers come from its BTF. */
enum cgroup_subsys_id { cpuacct_cgrp_id };

struct css_set {
  struct cgroup_subsys_state* subsys[1]; /* indexed by enum cgroup_subsys_id, one per controller */
  struct cgroup* dfl_cgrp;               /* in the cgroup v2 hierarchy; its root on hosts that only use v1 */
} __ftap_core;

struct ns_common {
  unsigned int inum; /* as stat() of /proc/PID/ns/mnt has it */
} __ftap_core;

struct mnt_namespace {
  struct ns_common ns;
} __ftap_core;

struct nsproxy {
  struct mnt_namespace* mnt_ns;
} __ftap_core;

struct files_struct;
struct file;

typedef struct {
  int counter;
} atomic_t;

struct mm_struct {
  struct file* exe_file;
} __ftap_core;

struct signal_struct {
  atomic_t live;            /* threads that have not begun to exit */
  unsigned int flags;       /* SIGNAL_* */
  int group_exit_code;      /* of all threads, with SIGNAL_GROUP_EXIT */
  struct mm_struct* oom_mm; /* not NULL: the kernel chose to kill it because memory was short */
} __ftap_core;

struct pid_namespace {
  struct pid_namespace* parent;
  struct ns_common ns;
} __ftap_core;

/* This one stands in an array, so it has the kernel's own size. */
struct upid {
  int nr;
  struct pid_namespace* ns;
} __ftap_core;

struct pid {
  unsigned int level; /* of the innermost namespace that it has a number in; 0: of the machine's first one */
  struct upid numbers[1];
} __ftap_core;

/* This is defined because libbpf takes it for the kernel's kind only then. */
struct cpumask {
} __ftap_core;

struct sched_entity {
  __u64 sum_exec_runtime; /* ns on CPUs */
} __ftap_core;

/* This is in a task on a kernel with sched_ext. */
struct sched_ext_entity {
  __u32 flags; /* enum scx_ent_flags */
  __u64 slice; /* ns that are left */
  __u64 dsq_vtime;
} __ftap_core;

struct task_struct {
  struct thread_info thread_info;
  unsigned int __state;
  unsigned int flags; /* PF_* */
  struct sched_entity se;
  struct sched_ext_entity scx;
  /* The task is current on a CPU. One byte on kernels >= 7.3, which libbpf reads only into an unsigned field. */
  unsigned int on_cpu;
  int pid;
  int tgid;
  struct task_struct* real_parent;
  struct task_struct* group_leader;
  struct pid* thread_pid;
  char comm[16];        /* its name, with a final 0 */
  int exit_code;        /* as wait(2) has it */
  __u64 start_boottime; /* ns on CLOCK_BOOTTIME */
  unsigned long nvcsw;  /* how often it gave up its CPU by itself, that is, slept */
  struct files_struct* files;
  struct signal_struct* signal;
  struct mm_struct* mm;
  struct nsproxy* nsproxy;
  int prio; /* < 100: its class is above the fair one */
  int nr_cpus_allowed;
  unsigned short migration_disabled;
  const struct cpumask* cpus_ptr;
  const struct sched_class* sched_class;
  struct css_set* cgroups;
} __ftap_core;

struct bpf_iter__task {
  union {
    struct task_struct* task;
  };
} __ftap_core;

/* Since 6.2 a pointer is trusted or not. Whether it is so is asked here, since 6.2 and 6.3 do not load a kfunc's address. */
enum bpf_type_flag { PTR_TRUSTED };
#define FTAP_HAS_CAST bpf_core_enum_value_exists(enum bpf_type_flag, PTR_TRUSTED)

/* Since 6.2. With it a load is an instruction; without it each is a helper's call (73 instead of 162 ns in all). */
extern void* bpf_rdonly_cast(const void* object, __u32 btf_id) __ksym __weak;

/* `pointer` as a pointer to the kernel's `type`. Before 6.2 a number stays a number, for FTAP_GET only. */
#define FTAP_AS(type, pointer) \
  ((type*)(FTAP_HAS_CAST ? bpf_rdonly_cast((pointer), bpf_core_type_id_kernel(type)) : (pointer)))
/* The pointer gets a variable of its own: BPF_CORE_READ would relocate the accesses that lead to it as well. */
#define FTAP_GET(pointer, member)                                       \
  ({                                                                    \
    __auto_type ftap_get = (pointer);                                   \
    FTAP_HAS_CAST ? ftap_get->member : BPF_CORE_READ(ftap_get, member); \
  })

/*
 * The task, for a walk over its pointers. Where a pointer is read from a trusted one, the verifier (since 6.2) searches the
 * kernel's types for whether the new one is trusted as well (btf_nested_type_is_trusted()), in each state that it comes
 * there in. That was most of the time that a program took to load. From an untrusted one it does not, but then the read
 * checks the address, in a few instructions. Before 6.2 this is the task itself.
 */
static __always_inline struct task_struct* untrusted(struct task_struct* task) {
  return FTAP_AS(struct task_struct, task);
}

#endif /* FTAP_LIB_KERNEL_BPF_H */
