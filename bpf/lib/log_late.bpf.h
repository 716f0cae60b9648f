/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads that come behind their pipe's end. Where several threads read one pipe, the one that finds its end ends the stream.
 * Another may still be on its way out of the kernel with bytes that it has read before, and its program finds no stream
 * any more. So the pipes that have just ended are remembered, and such a read counts as an event that no program has
 * handled.
 */
#ifndef FTAP_LIB_LOG_LATE_BPF_H
#define FTAP_LIB_LOG_LATE_BPF_H

#include "bpf/lib/log_take.bpf.h"

struct ftap_ended_pipe {
  __u64 ino;
  __u64 object;
  __u64 until; /* ns on CLOCK_MONOTONIC */
  __u32 dev;
  __u32 zero;
};

#define FTAP_ENDED_PIPES 1024 /* a power of two; a pipe takes the place of the one that had it */

/* A reader that was preempted on its way out has had its turn by then. */
#define FTAP_LATE_NS 1000000000ULL

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, FTAP_ENDED_PIPES);
  __type(key, __u32);
  __type(value, struct ftap_ended_pipe);
} ftap_ended_pipes SEC(".maps");

static __always_inline struct ftap_ended_pipe* ended_place(const struct ftap_log_target* target) {
  __u32 place = ftap_filter_place(target->ino, target->dev) % FTAP_ENDED_PIPES;
  return bpf_map_lookup_elem(&ftap_ended_pipes, &place);
}

/*
 * Somebody has read to the end. What has not passed was read in a way that the programs did not see. A FIFO may be opened again at
 * any time, and what is read from it then is not late, so only pipefs' pipes are remembered.
 */
static __always_inline void end_read(const struct ftap_tapped* tapped) {
  struct super_block* sb = FTAP_AS(struct super_block, FTAP_GET(tapped->inode, i_sb));
  struct ftap_ended_pipe* ended = ended_place(&tapped->target);
  if (ended && FTAP_GET(sb, s_magic) == FTAP_PIPEFS_MAGIC) {
    ended->ino = tapped->target.ino;
    ended->dev = tapped->target.dev;
    ended->object = tapped->stream->object;
    ended->until = bpf_ktime_get_ns() + FTAP_LATE_NS;
  }
  end_stream(tapped->stream, &tapped->target, FTAP_LOSS_UNCAPTURED);
}

/* Of what find_file() has not found: whether it is a pipe that has just ended. */
static __always_inline bool has_just_ended(const struct ftap_tapped* tapped) {
  if (!tapped->inode) return false;
  struct ftap_ended_pipe* ended = ended_place(&tapped->target);
  if (!ended || ended->ino != tapped->target.ino || ended->dev != tapped->target.dev) return false;
  return ended->object == object_of(tapped->file, tapped->inode, FTAP_KIND_PIPE) &&
         bpf_ktime_get_ns() < ended->until;
}

#endif /* FTAP_LIB_LOG_LATE_BPF_H */
