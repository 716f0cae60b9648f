/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both backends do with a file when bytes went through it. */
#ifndef FTAP_LIB_LOG_TAKE_BPF_H
#define FTAP_LIB_LOG_TAKE_BPF_H

#include "bpf/lib/log/members.bpf.h"
#include "bpf/lib/log/memory.bpf.h"
#include "bpf/lib/log/streams.bpf.h"
#include "bpf/lib/pipe.bpf.h"

struct ftap_tapped {
  struct ftap_log_target target;
  struct ftap_stream* stream;
  struct file* file;
  struct inode* inode;
};

#define FTAP_MOST_PARENTS 8U

/* Whether the current task is of this run. A task that began before us may not be a member yet, but has its parents. */
static __always_inline bool is_of_run(const struct ftap_run* run) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct ftap_member* member = member_of(task);
  if (member && is_same_run(&member->run, run)) return true;
  for (unsigned int i = 0; i < FTAP_MOST_PARENTS; i++) {
    struct task_struct* leader = BPF_CORE_READ(task, group_leader);
    if ((__u32)BPF_CORE_READ(leader, pid) == run->pid)
      return BPF_CORE_READ(leader, start_boottime) == run->start_time;
    task = BPF_CORE_READ(leader, real_parent);
  }
  return false;
}

/*
 * Whether what is written there belongs to the stream. A listed process may share its terminal or socket with others:
 * in `scheduler | tee file` tee copies the scheduler's pipe to the terminal, and that is no second output.
 */
static __always_inline bool is_its_output(const struct ftap_stream* stream) {
  if (stream->rule != FTAP_RULE_PROCESS || stream->kind == FTAP_KIND_PIPE) return true;
  struct ftap_run run = {.start_time = stream->start_time, .pid = stream->pid};
  return is_of_run(&run);
}

/*
 * False: nobody taps it, or not on this side. Pipes are tapped only where they are read, all else where it is written.
 * `inode` is then NULL where the file cannot be tapped on this side.
 */
static __always_inline bool find_file(struct file* file, bool reads, struct ftap_tapped* tapped) {
  struct inode* inode = FTAP_AS(struct inode, FTAP_GET(file, f_inode));
  tapped->inode = NULL;
  if (is_pipe(inode) != reads) return false;
  target_of(inode, &tapped->target);
  tapped->file = file;
  tapped->inode = inode;
  __u32* filter = filter_of(&tapped->target);
  if (!filter || !*filter) return false;
  struct ftap_stream* stream = stream_of(&tapped->target);
  if (!stream || !is_same_object(stream, &tapped->target, object_of(file, inode, stream->kind))) return false;
  if (!is_its_output(stream)) return false;
  tapped->stream = stream;
  return true;
}

/*
 * True: bytes are counted as lost and not looked at. Streams still begin and end, so that each knows how many of its
 * bytes are lost; the ring has room for those records of some 100,000 containers.
 */
static __always_inline bool is_quiet(__u64 now) {
  struct ftap_log_control* control = log_control();
  return control && now >= control->heartbeat + FTAP_LOG_QUIET_NS;
}

static __always_inline bool is_muted(void) {
  struct ftap_log_control* control = log_control();
  return !control || control->muted;
}

static __always_inline void count_moved(struct ftap_stream* stream, __u64 n) {
  stream->last = bpf_ktime_get_ns();
  pass_by(stream, FTAP_LOSS_UNCAPTURED, n);
}

struct ftap_look_up {
  __u64 cgroup;
  bool inside; /* or not known yet */
};

#define FTAP_MOST_LEVELS 256 /* a deeper task counts as inside */

static long look_at_level(__u32 i, struct ftap_look_up* look) {
  __u64 id = bpf_get_current_ancestor_cgroup_id(i + 1); /* below the root */
  look->inside = id;
  return !id || id == look->cgroup;
}

/* Whether the current task is in the container whose log this is. The runtime, which reads the log, is not. */
static __always_inline bool is_in_container_of(const struct ftap_stream* stream) {
  if (stream->rule != FTAP_RULE_CONTAINER || !stream->cgroup) return false;
  struct ftap_look_up look = {.cgroup = stream->cgroup};
  bpf_loop(FTAP_MOST_LEVELS, look_at_level, &look, 0);
  return look.inside;
}

/*
 * A read asked for something and got nothing: this says whether it was the pipe's end, where nobody can write into it
 * any more. A container can open its own pipe for reading, close its outputs, read to the end and open them again for
 * writing, all before its runtime has seen anything of it.
 */
static __always_inline bool was_end(const struct ftap_tapped* tapped) {
  return !FTAP_GET(pipe_of(tapped->file), writers) && !is_in_container_of(tapped->stream);
}

#endif /* FTAP_LIB_LOG_TAKE_BPF_H */
