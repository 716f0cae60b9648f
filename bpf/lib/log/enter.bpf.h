/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds containers: it looks for the exec of a process that is in another mount namespace than its parent, and in a
 * cgroup that nothing has entered this way yet. That is a container's first program, with hostPID and in a shared pid
 * namespace as well. It is none of the runtime's own execs (they share the parent's namespace), no exec probe and no
 * re-exec (the cgroup is marked), and no `unshare` in the host's root cgroup. Units of systemd with a mount namespace
 * of their own match, too; userspace recognizes them by their cgroup's name.
 */
#ifndef FTAP_LIB_LOG_ENTER_BPF_H
#define FTAP_LIB_LOG_ENTER_BPF_H

#include "bpf/lib/log/hook.bpf.h"
#include "bpf/lib/log/listed.bpf.h"
#include "bpf/lib/log/members.bpf.h"
#include "bpf/lib/log/streams.bpf.h"

/*
 * Cgroups that a process has entered, kept as long as they exist, each with the number of that process's mount
 * namespace (0: not known). LRU: a full table must not keep new containers out.
 */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 2 * FTAP_MAX_STREAMS);
  __type(key, __u64);
  __type(value, __u32);
} ftap_marks SEC(".maps");

/* The file systems whose files the programs see being written to, unless they see all. Set before load. */
const volatile __u32 ftap_sees_all_files = 1;
const volatile __u32 ftap_file_systems[FTAP_MAX_FILE_SYSTEMS];

static __always_inline bool is_seen(struct inode* inode) {
  if (ftap_sees_all_files) return true;
  struct super_block* sb = FTAP_AS(struct super_block, FTAP_GET(inode, i_sb));
  __u32 magic = FTAP_GET(sb, s_magic);
  for (int i = 0; i < FTAP_MAX_FILE_SYSTEMS; i++)
    if (magic && magic == ftap_file_systems[i]) return true;
  return false;
}

static __always_inline bool is_captured(struct inode* inode, __u32 kind, __u32 rule) {
  if (kind == FTAP_KIND_PIPE || kind == FTAP_KIND_TTY) return true;
  if (rule == FTAP_RULE_CONTAINER) return false;
  return kind == FTAP_KIND_SOCKET || (kind == FTAP_KIND_FILE && is_seen(inode));
}

/*
 * Whether one of those to whom the stream belongs may still write there. A pipe counts as owned: what it holds when
 * nobody is left is read later, in one piece with what comes then.
 */
static __always_inline bool has_owner(const struct ftap_stream* stream) {
  if (stream->kind == FTAP_KIND_PIPE) return true;
  __u64 cgroup = stream->cgroup;
  if (stream->rule == FTAP_RULE_UNIT) return bpf_map_lookup_elem(&ftap_marks, &cgroup);
  return stream->rule != FTAP_RULE_PROCESS || has_members(stream->start_time, stream->pid);
}

/*
 * Each container has a devpts of its own. Its numbers, with inodes at the same address, come back as soon as it is
 * gone. So a terminal's stream does not pass to another container, unless that one was started inside the stream's
 * container and has inherited the terminal.
 */
static __always_inline bool is_left(const struct ftap_stream* stream, const struct ftap_opening* as) {
  __u64 cgroup = stream->cgroup;
  return stream->kind == FTAP_KIND_TTY && stream->rule == FTAP_RULE_CONTAINER && cgroup &&
         cgroup != as->cgroup && !bpf_map_lookup_elem(&ftap_marks, &cgroup);
}

/*
 * A container's log is a pipe or a terminal, so only those are captured there. For a listed process whatever can be
 * captured is, except what is captured already: `other` is the stream of its other output, which may be the same. A
 * stream that has lost its last owner ends there and then, so that each run has its own from the first byte.
 *
 * A target that exists already stays if it is this very pipe: a container that was started inside another one may have
 * inherited its pipe, whose bytes must not get two streams. Otherwise the target is a dead pipe's, and its stream ends.
 *
 * The function is global, so that the verifier looks at it once and not on each path that leads there: 4,100
 * instructions instead of 287,000 (the limit is a million), 0.06 s instead of 1.4. Before 6.8 a global function may not
 * take a task, so it asks for the current one, which is the one that execs.
 */
__noinline int register_output(__u32 fd, struct ftap_opening* as, __u64 other,
                               struct ftap_log_output* output) {
  if (!as || !output) return 0;
  struct file* file = file_of(bpf_get_current_task_btf(), fd);
  if (!file) return 0;
  struct inode* inode = FTAP_AS(struct inode, FTAP_GET(file, f_inode));
  struct ftap_log_target target;
  target_of(inode, &target);
  __u32 kind = kind_of(file, inode);
  output->ino = target.ino;
  output->dev = target.dev;
  output->kind = kind;
  if (!is_captured(inode, kind, as->rule)) return 0;

  as->kind = kind;
  as->fds = fd; /* FTAP_STDOUT and FTAP_STDERR are the descriptors' own numbers */
  as->object = object_of(file, inode, kind);
  struct ftap_stream* stream = stream_of(&target);
  if (stream && !is_same_object(stream, &target, as->object)) stream = NULL;
  if (stream && as->rule == FTAP_RULE_CONTAINER && is_left(stream, as)) {
    end_stream(stream, &target, FTAP_LOSS_UNREAD);
    stream = NULL;
  }
  if (stream && as->rule != FTAP_RULE_CONTAINER && stream->id != other) {
    if (has_owner(stream)) {
      __builtin_memset(output, 0, sizeof(*output)); /* the ENTER record of its owner tells of it */
      return 0;
    }
    end_stream(stream, &target, FTAP_LOSS_UNREAD);
    stream = NULL;
  }
  if (stream && stream->cgroup == as->cgroup) __sync_fetch_and_or(&stream->fds, as->fds);
  if (!stream) stream = open_stream(&target, as);
  if (stream) output->stream = stream->id;
  return 0;
}

_Static_assert(FTAP_STDOUT == 1 && FTAP_STDERR == 2, "descriptors' numbers as bits");

struct ftap_enter_record {
  struct ftap_log_record head;
  struct ftap_log_enter enter;
};

static __always_inline void fill_enter(struct ftap_log_enter* enter, struct task_struct* task,
                                       struct kernfs_node* node, __u32 rule, bool nested) {
  enter->cgroup = node->id;
  enter->rule = rule;
  enter->nested = nested;
  enter->start_time = task->group_leader->start_boottime;
  enter->pid = task->tgid;
  bpf_get_current_comm(enter->comm, sizeof(enter->comm));
  bpf_probe_read_kernel_str(enter->cgroup_name, sizeof(enter->cgroup_name), node->name);
  struct kernfs_node* parent = parent_of(node);
  if (!parent) return;
  bpf_probe_read_kernel_str(enter->parent_name, sizeof(enter->parent_name), BPF_CORE_READ(parent, name));
  struct kernfs_node* above = parent_of(parent);
  enter->users_names = !is_of_root(parent) || (above && !is_of_root(above));
}

/* The outputs that systemd's own program has before it sets up the unit's do not belong to the unit. */
static __always_inline bool is_of_parent(struct task_struct* task, __u32 fd) {
  struct file* file = file_of(task, fd);
  struct file* parents = file_of(task->real_parent, fd);
  return file && parents && FTAP_GET(file, f_inode) == FTAP_GET(parents, f_inode);
}

/* From now on the task belongs to a run of its own. */
static __always_inline void join(struct task_struct* task, struct ftap_run* before) {
  struct ftap_run run = {.start_time = task->group_leader->start_boottime, .pid = task->tgid};
  struct ftap_member* member = member_of(task);
  if (member) *before = member->run;
  set_member(run.pid, run.start_time, &run);
}

/* The process owns none of its outputs: what it writes may belong to the run that they are captured for. */
static __always_inline void join_again(struct task_struct* task, const struct ftap_run* before) {
  __u32 tgid = task->tgid;
  if (before->pid)
    set_member(tgid, task->group_leader->start_boottime, before);
  else
    bpf_map_delete_elem(&ftap_members, &tgid);
}

/* For a listed process, files that are not seen are reported, too. */
static __always_inline bool is_told(const struct ftap_log_output* output, __u32 rule) {
  return rule == FTAP_RULE_CONTAINER || output->stream || output->kind == FTAP_KIND_FILE;
}

static __always_inline void enter(struct task_struct* task, struct kernfs_node* node, __u32 rule, bool nested,
                                  __u64 now) {
  struct ftap_log_output outputs[2] = {};
  struct ftap_run before = {};
  struct ftap_opening as = {
      .cgroup = node->id, .pid = task->tgid, .start_time = task->group_leader->start_boottime, .rule = rule};
  bool is_unit = rule == FTAP_RULE_UNIT;
  if (rule == FTAP_RULE_PROCESS) join(task, &before); /* first, so that each of its streams has an owner */
  if (!is_unit || !is_of_parent(task, 1)) register_output(1, &as, 0, &outputs[0]);
  if (!is_unit || !is_of_parent(task, 2)) register_output(2, &as, outputs[0].stream, &outputs[1]);
  if (rule == FTAP_RULE_PROCESS && !outputs[0].stream && !outputs[1].stream) join_again(task, &before);
  if (!is_told(&outputs[0], rule) && !is_told(&outputs[1], rule)) return;

  struct ftap_enter_record* record = bpf_ringbuf_reserve(&ftap_ring, sizeof(*record), 0);
  if (!record) {
    count_lost_event();
    return;
  }
  __builtin_memset(record, 0, sizeof(*record));
  fill_head(&record->head, FTAP_LOG_ENTER, sizeof(record->enter), 0, now);
  fill_enter(&record->enter, task, node, rule, nested);
  record->enter.output[0] = outputs[0];
  record->enter.output[1] = outputs[1];
  bpf_ringbuf_submit(record, BPF_RB_FORCE_WAKEUP);
}

/*
 * The mount namespace of the nearest ancestor that still has its namespaces. A parent that exits gives them up before
 * its children get another parent (a runtime that starts a container and does not stay does that). NULL: none of the
 * few ancestors looked at has one.
 */
#define FTAP_ANCESTORS 4

static __always_inline struct mnt_namespace* mounts_above(struct task_struct* task) {
  struct task_struct* parent = task->real_parent;
  for (int i = 0; i < FTAP_ANCESTORS; i++) {
    struct mnt_namespace* mounts = parent->nsproxy->mnt_ns;
    if (mounts) return mounts;
    parent = parent->real_parent;
  }
  return NULL;
}

/* Whether a cgroup is below a container's, and what that means for a process that comes into it. */
enum ftap_within {
  FTAP_WITHIN_NONE,
  FTAP_WITHIN_JOINS,  /* it belongs to that container */
  FTAP_WITHIN_NESTED, /* it belongs to another container, which was started in that one */
};

/*
 * A container may keep its processes in cgroups of its own (systemd does, and so does whoever starts containers there).
 * A process from outside that enters one of them and the mount namespace of the container's first program joins the
 * container (a probe, a shell) and begins none. With a mount namespace of its own it is a container that was put there
 * (`--cgroup-parent`).
 */
static __noinline int within_container(struct kernfs_node* node, struct kernfs_node* from, __u32 mounts) {
  for (int i = 0; i < FTAP_CGROUP_DEPTH; i++) {
    node = parent_of(node);
    if (!node) return FTAP_WITHIN_NONE;
    __u64 id = BPF_CORE_READ(node, id);
    __u32* mark = bpf_map_lookup_elem(&ftap_marks, &id);
    if (!mark) continue;
    if (is_within(from, id)) return FTAP_WITHIN_NESTED;
    return !*mark || *mark == mounts ? FTAP_WITHIN_JOINS : FTAP_WITHIN_NONE;
  }
  return FTAP_WITHIN_NONE;
}

/* Marks the cgroup. */
static __always_inline bool is_containers_first(struct task_struct* task, struct cgroup* cgroup,
                                                bool* nested) {
  struct mnt_namespace* ours = task->nsproxy->mnt_ns;
  struct mnt_namespace* parents = mounts_above(task);
  if (!parents || ours == parents || !cgroup->level) return false;
  __u32 mounts = BPF_CORE_READ(ours, ns.inum);
  int within = within_container(cgroup->kn, BPF_CORE_READ(task, real_parent, cgroups, dfl_cgrp, kn), mounts);
  if (within == FTAP_WITHIN_JOINS) return false;
  *nested = within == FTAP_WITHIN_NESTED;
  __u64 id = cgroup->kn->id;
  return !bpf_map_update_elem(&ftap_marks, &id, &mounts, BPF_NOEXIST);
}

FTAP_HOOK(exec, "tp_btf/sched_process_exec")

SEC("tp_btf/sched_process_exec")
int BPF_PROG(ftap_exec, struct task_struct* trusted, int old_pid, struct linux_binprm* bprm) {
  struct ftap_log_control* control = log_control();
  if (!control || control->muted) return 0;
  struct task_struct* task = untrusted(trusted);
  __u32 rule = listed_rule(task, bprm);
  struct cgroup* cgroup = task->cgroups->dfl_cgrp;
  bool nested = false;
  if (rule == FTAP_RULE_CONTAINER && !is_containers_first(task, cgroup, &nested)) return 0;
  /* This makes its removal known. It comes first, since streams have an owner only while the mark is there. */
  __u64 id = cgroup->kn->id;
  __u32 mark = 0;
  if (rule == FTAP_RULE_UNIT) bpf_map_update_elem(&ftap_marks, &id, &mark, BPF_ANY);
  enter(task, cgroup->kn, rule, nested, bpf_ktime_get_ns());
  return 0;
}

FTAP_HOOK(rmdir, "tp_btf/cgroup_rmdir")

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(ftap_rmdir, struct cgroup* cgroup) {
  /* The v1 hierarchies number their cgroups independently; only v2 cgroups have marks. */
  if (cgroup->root->hierarchy_id) return 0;
  __u64 id = cgroup->kn->id;
  if (bpf_map_delete_elem(&ftap_marks, &id)) {
    FTAP_PASS_ON(ctx, rmdir);
    return 0;
  }
  struct {
    struct ftap_log_record head;
    __u64 cgroup;
  } record = {.cgroup = id};
  fill_head(&record.head, FTAP_LOG_CGROUP_GONE, sizeof(id), 0, bpf_ktime_get_ns());
  if (bpf_ringbuf_output(&ftap_ring, &record, sizeof(record), BPF_RB_FORCE_WAKEUP)) count_lost_event();
  return 0;
}

#endif /* FTAP_LIB_LOG_ENTER_BPF_H */
