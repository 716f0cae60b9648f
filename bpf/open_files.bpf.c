/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists on request what standard output and error of the running processes are connected to, who reads from pipes, and
 * the regular files of the process that asks. The log tap finds with it what was running before it.
 *
 * It asks the kernel and not /proc for three reasons: on overlayfs and btrfs stat() of /proc/PID/fd/N tells another
 * device number than the inode has; one walk in the kernel sees each descriptor in one state; and stat() and statfs()
 * through /proc/PID wait for file systems whose server does not answer.
 */
#include "bpf/abi/open_file.h"
#include "bpf/lib/cgroup.bpf.h"
#include "bpf/lib/pipe.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct seq_file;

struct bpf_iter_meta {
  union {
    struct seq_file* seq;
  };
} __ftap_core;

struct bpf_iter__task_file {
  union {
    struct bpf_iter_meta* meta;
  };
  union {
    struct task_struct* task;
  };
  __u32 fd;
  union {
    struct file* file;
  };
} __ftap_core;

/* The tgid of the process that asks: for its own files it learns what the kernel calls each. Set before load. */
const volatile __u32 ftap_asker = 0;

static __always_inline bool reads_pipe(__u32 kind, unsigned int mode) {
  return kind == FTAP_KIND_PIPE && mode & FTAP_FMODE_READ;
}

static __always_inline bool is_listed(struct task_struct* task, __u32 fd, __u32 kind, unsigned int mode) {
  if (fd == 1 || fd == 2 || reads_pipe(kind, mode)) return true;
  return kind == FTAP_KIND_FILE && (__u32)task->tgid == ftap_asker;
}

static __always_inline bool entered_container(struct task_struct* task) {
  struct mnt_namespace* own = BPF_CORE_READ(task, nsproxy, mnt_ns);
  struct mnt_namespace* parents = BPF_CORE_READ(task, real_parent, nsproxy, mnt_ns);
  return own && parents && own != parents;
}

static __always_inline __u64 cgroup_of(struct task_struct* task) {
  struct cgroup* cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
  return BPF_CORE_READ(cgroup, level) > 0 ? BPF_CORE_READ(cgroup, kn, id) : 0;
}

static __always_inline void add_cgroups(struct ftap_open_file* row, struct task_struct* task) {
  row->cgroup = cgroup_of(task);
  row->parent_cgroup = cgroup_of(task->real_parent);
  struct kernfs_node* node = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
  for (int i = 0; i < FTAP_CGROUPS_ABOVE; i++) {
    node = parent_of(node);
    if (!node) return;
    row->above[i] = BPF_CORE_READ(node, id);
  }
}

static __always_inline void add_program(struct ftap_open_file* row, struct task_struct* task) {
  struct inode* exe = BPF_CORE_READ(task, mm, exe_file, f_inode);
  row->mounts = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
  if (!exe) return;
  row->exe_ino = BPF_CORE_READ(exe, i_ino);
  row->exe_dev = BPF_CORE_READ(exe, i_sb, s_dev);
  row->as_parent = is_exe_of_parent(task, exe);
}

/*
 * A thread with descriptors of its own (it was cloned without CLONE_FILES) is nobody's log, but may well read one. And
 * where the main thread has ended and others go on, the descriptors are theirs; each of them lists the same.
 */
static __always_inline bool speaks_for_process(struct task_struct* task) {
  return task->pid == task->tgid || !BPF_CORE_READ(task, group_leader, files);
}

SEC("iter/task_file")
int ftap_files_iter(struct bpf_iter__task_file* ctx) {
  struct task_struct* task = ctx->task;
  struct file* file = ctx->file;
  __u32 fd = ctx->fd;
  asm volatile(""
               : "+r"(fd)); /* otherwise it is read in two places, by a pointer that the verifier refuses */
  if (!task || !file) return 0;

  struct inode* inode = file->f_inode;
  unsigned int mode = file->f_mode;
  __u32 kind = kind_of(file, inode);
  bool as_reader = fd != 1 && fd != 2 && reads_pipe(kind, mode);
  if (!as_reader && !(speaks_for_process(task) && is_listed(task, fd, kind, mode))) return 0;

  struct ftap_open_file row = {
      .ino = inode->i_ino,
      .start_time = BPF_CORE_READ(task, group_leader, start_boottime),
      .dev = inode->i_sb->s_dev,
      .pid = task->tgid,
      .fd = fd,
      .kind = kind,
      .mode = (mode & FTAP_FMODE_READ ? FTAP_MAY_READ : 0) | (mode & FTAP_FMODE_WRITE ? FTAP_MAY_WRITE : 0),
      .entered = entered_container(task),
      .magic = inode->i_sb->s_magic,
  };
  if (kind == FTAP_KIND_PIPE) {
    row.readers = FTAP_GET(pipe_of(file), readers);
    row.waiting = waiting_in(pipe_of(file));
  }
  add_program(&row, task);
  add_cgroups(&row, task);
  bpf_seq_write(ctx->meta->seq, &row, sizeof(row));
  return 0;
}
