/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads that come behind their pipe's end. Where several threads read one pipe, the one that finds its end ends the stream.
 * Another may still be on its way out of the kernel with bytes that it has read before, and its program finds no stream
 * any more. So the pipes that have just ended are remembered. A stream keeps its slot for a while after its end, and the
 * bytes of such a read are counted there as lost.
 */
#ifndef FTAP_LIB_LOG_LATE_BPF_H
#define FTAP_LIB_LOG_LATE_BPF_H

#include "bpf/lib/log/take.bpf.h"

struct ftap_ended_pipe {
  __u64 ino;
  __u64 object;
  __u64 id; /* the stream's */
  __u32 dev;
  __u32 slot;
};

#define FTAP_ENDED_PIPES 1024 /* a power of two; a pipe takes the place of the one that had it */

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
 * A FIFO is not remembered. It is often opened again by its name, and what is read from it then is not late. Two pipes that end at
 * once in one place may leave a mixture, which is no pipe.
 */
static __always_inline void remember_end(const struct ftap_tapped* tapped) {
  struct super_block* sb = FTAP_AS(struct super_block, FTAP_GET(tapped->inode, i_sb));
  struct ftap_ended_pipe* ended = ended_place(&tapped->target);
  __u32* slot = bpf_map_lookup_elem(&ftap_targets, &tapped->target);
  if (!ended || !slot || FTAP_GET(sb, s_magic) != FTAP_PIPEFS_MAGIC) return;
  ended->ino = tapped->target.ino;
  ended->dev = tapped->target.dev;
  ended->object = object_of(tapped->file, tapped->inode, FTAP_KIND_PIPE);
  ended->slot = *slot;
  ended->id = tapped->stream->id;
}

/* Somebody has read to the end. What has not passed was read in a way that the programs did not see. */
static __always_inline void end_read(const struct ftap_tapped* tapped) {
  remember_end(tapped);
  end_stream(tapped->stream, &tapped->target, FTAP_LOSS_UNCAPTURED);
}

/* Of what find_file() has not found: the stream that has ended there and still has its slot, or NULL. */
static __always_inline struct ftap_stream* just_ended(const struct ftap_tapped* tapped) {
  struct ftap_ended_pipe* ended = tapped->inode ? ended_place(&tapped->target) : NULL;
  if (!ended || ended->ino != tapped->target.ino || ended->dev != tapped->target.dev) return NULL;
  if (ended->object != object_of(tapped->file, tapped->inode, FTAP_KIND_PIPE)) return NULL;
  struct ftap_stream* stream = stream_at(ended->slot);
  return stream && stream->id == ended->id ? stream : NULL;
}

#endif /* FTAP_LIB_LOG_LATE_BPF_H */
