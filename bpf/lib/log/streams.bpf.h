/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tapped streams: how to get from a file to its slot, how a slot is claimed, and how a stream ends. */
#ifndef FTAP_LIB_LOG_STREAMS_BPF_H
#define FTAP_LIB_LOG_STREAMS_BPF_H

#include "bpf/lib/file.bpf.h"
#include "bpf/lib/log/ring.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, FTAP_MAX_STREAMS);
  __type(key, __u32);
  __type(value, struct ftap_stream);
} ftap_streams SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, FTAP_MAX_STREAMS);
  __type(key, struct ftap_log_target);
  __type(value, __u32);
} ftap_targets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, FTAP_FILTER_LINES);
  __type(key, __u32);
  __type(value, struct ftap_filter_line);
} ftap_filter SEC(".maps");

static __always_inline __u32* filter_of(const struct ftap_log_target* target) {
  __u32 place = ftap_filter_place(target->ino, target->dev);
  __u32 number = place / FTAP_FILTER_LINE;
  struct ftap_filter_line* line = bpf_map_lookup_elem(&ftap_filter, &number);
  return line ? &line->count[place % FTAP_FILTER_LINE] : NULL;
}

static __always_inline struct ftap_stream* stream_at(__u32 slot) {
  return bpf_map_lookup_elem(&ftap_streams, &slot);
}

static __always_inline void target_of(struct inode* inode, struct ftap_log_target* target) {
  struct super_block* sb = FTAP_AS(struct super_block, FTAP_GET(inode, i_sb));
  target->ino = FTAP_GET(inode, i_ino);
  target->dev = FTAP_GET(sb, s_dev);
  target->zero = 0;
}

/* NULL: none. The slot may have passed to another stream between the two look-ups; its own numbers show that. */
static __always_inline struct ftap_stream* stream_of(const struct ftap_log_target* target) {
  __u32* slot = bpf_map_lookup_elem(&ftap_targets, target);
  struct ftap_stream* stream = slot ? stream_at(*slot) : NULL;
  if (!stream || stream->state != FTAP_STREAM_OPEN) return NULL;
  return stream->ino == target->ino && stream->dev == target->dev ? stream : NULL;
}

struct ftap_end_record {
  struct ftap_log_record head;
  struct ftap_log_end end;
};

/*
 * The deletion of the target succeeds for one program only, and that one ends the stream. What was written and has not
 * passed by now will not pass any more, for this `cause`. It builds the record in the ring, because the programs' stack
 * of 512 bytes is scarce.
 */
static __always_inline void end_stream(struct ftap_stream* stream, const struct ftap_log_target* target,
                                       __u32 cause) {
  if (bpf_map_delete_elem(&ftap_targets, target)) return;
  if (stream->written > stream->bytes) pass_by(stream, cause, stream->written - stream->bytes);
  __u32* filter = filter_of(target);
  if (filter) __sync_fetch_and_sub(filter, 1);
  struct ftap_end_record* record = bpf_ringbuf_reserve(&ftap_ring, sizeof(*record), 0);
  if (record) {
    fill_head(&record->head, FTAP_LOG_END, sizeof(record->end), stream->id, bpf_ktime_get_ns());
    record->head.offset = stream->bytes;
    for (int i = 0; i < FTAP_NR_LOSSES; i++) record->end.lost[i] = stream->lost[i];
  } else {
    count_lost_event();
  }
  stream->state = FTAP_STREAM_ENDED;
  if (record) bpf_ringbuf_submit(record, BPF_RB_FORCE_WAKEUP);
}

/*
 * Whether the stream is this very pipe, file, ... and not an earlier one that had its number. The earlier one is dead,
 * but its end was not seen (its reader died before it read to the end): its stream ends here, with what it had.
 */
static __always_inline bool is_same_object(struct ftap_stream* stream, const struct ftap_log_target* target,
                                           __u64 object) {
  __u64 known = stream->object;
  if (!known) known = __sync_val_compare_and_swap(&stream->object, 0, object) ?: object;
  if (known == object) return true;
  end_stream(stream, target, FTAP_LOSS_UNREAD);
  return false;
}

struct ftap_claim {
  __u32 next;
  __u32 slot;
  __u64 id;
  struct ftap_stream* stream;
};

static long claim_next(__u32 i, struct ftap_claim* claim) {
  claim->slot = (claim->next + i) % FTAP_MAX_STREAMS;
  struct ftap_stream* stream = stream_at(claim->slot);
  if (!stream || stream->id || __sync_val_compare_and_swap(&stream->id, 0, claim->id)) return 0;
  claim->stream = stream;
  return 1;
}

#define FTAP_CLAIM_PROBES 1024 /* of a table that is 99 % full, one search in 30,000 finds nothing */

/* A slot with a number and nothing else. */
static __always_inline struct ftap_stream* claim_slot(__u32* slot) {
  struct ftap_log_control* control = log_control();
  if (!control) return NULL;
  struct ftap_claim claim = {.next = __sync_fetch_and_add(&control->hint, 1),
                             .id = __sync_fetch_and_add(&control->next_stream, 1)};
  bpf_loop(FTAP_CLAIM_PROBES, claim_next, &claim, 0);
  if (!claim.stream) __sync_fetch_and_add(&control->no_slot, 1);
  *slot = claim.slot;
  return claim.stream;
}

static __always_inline void forget_slot(struct ftap_stream* stream) {
  stream->state = FTAP_STREAM_FREE;
  __sync_lock_test_and_set(&stream->id, 0);
}

/* What a new stream will be; a whole slot is three times as large. */
struct ftap_opening {
  __u64 cgroup;
  __u64 start_time;
  __u64 object;
  __u32 pid;
  __u32 rule;
  __u32 kind;
  __u32 fds;
};

/* Makes a stream of the target and sets it open; NULL where there is no room, or another CPU was faster. */
static __always_inline struct ftap_stream* open_stream(const struct ftap_log_target* target,
                                                       const struct ftap_opening* as) {
  __u32 slot = 0;
  __u32* filter = filter_of(target);
  struct ftap_stream* stream = claim_slot(&slot);
  if (!stream || !filter) return NULL;
  stream->bytes = 0;
  for (int i = 0; i < FTAP_NR_LOSSES; i++) stream->lost[i] = 0;
  stream->cgroup = as->cgroup;
  stream->ino = target->ino;
  stream->dev = target->dev;
  stream->pid = as->pid;
  stream->kind = as->kind;
  stream->fds = as->fds;
  stream->last = 0;
  stream->object = as->object;
  stream->start_time = as->start_time;
  stream->rule = as->rule;
  stream->written = 0;
  stream->state = FTAP_STREAM_OPEN;
  __sync_fetch_and_add(filter, 1);
  if (bpf_map_update_elem(&ftap_targets, target, &slot, BPF_NOEXIST)) {
    __sync_fetch_and_sub(filter, 1);
    forget_slot(stream);
    return NULL;
  }
  return stream;
}

#endif /* FTAP_LIB_LOG_STREAMS_BPF_H */
