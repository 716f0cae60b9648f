/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log tap's ring: records go in here, or are counted as lost where there is no room.
 *
 * Bytes are counted in their stream before there is room for them, so each failure is a gap of known length in the
 * stream, and a cause in its slot. A record of up to FTAP_SMALL bytes has exactly its size and passes through scratch
 * memory (two copies, no room wasted). More bytes go in pieces of the constant sizes that a reservation needs (one
 * copy), each a record of its own.
 */
#ifndef FTAP_LIB_LOG_RING_BPF_H
#define FTAP_LIB_LOG_RING_BPF_H

#include "bpf/abi/log.h"
#include "bpf/lib/kernel.bpf.h"

#define FTAP_SMALL 4096U
#define FTAP_FORCE_EVERY_NS 1000000ULL /* so that not each record wakes a consumer that is on its way */
#define FTAP_MAX_PIECES \
  (1U << 16) /* a system call moves less than 2 GiB: 2^15 large pieces and some smaller */

/* Records wake the consumer where more than this waits in the ring. Set before load: a quarter of the ring. */
const volatile __u64 ftap_force_above = 16ULL << 20;

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 64U << 20); /* the loader sets it */
} ftap_ring SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct ftap_log_control);
} ftap_control SEC(".maps");

/* The highest possible CPU + 1. Set before load. */
const volatile __u32 ftap_nr_cpus = 1;

struct ftap_scratch {
  struct ftap_log_record head;
  __u8 bytes[FTAP_SMALL];
};

/* One per lane and CPU. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, FTAP_NR_LANES); /* the loader sets it to as many per CPU */
  __type(key, __u32);
  __type(value, struct ftap_scratch);
} ftap_scratches SEC(".maps");

static __always_inline struct ftap_log_control* log_control(void) {
  __u32 zero = 0;
  return bpf_map_lookup_elem(&ftap_control, &zero);
}

/*
 * The same number, but the verifier no longer knows its bounds. It follows a loop over the rest of a bounded number
 * once for each bound that the rest can have: 168,558 instead of 7,277 instructions for a function that returns 32
 * bits. `any` is a number whose bounds it does not know.
 */
static __always_inline __u64 without_bounds(__u64 n, __u64 any) {
  asm volatile("%0 += %1; %0 -= %1" : "+&r"(n) : "r"(any));
  return n;
}

/* What bytes need on their way: the rest of one system call's bytes. */
struct ftap_span {
  struct ftap_stream* stream;
  __u64 id;
  __u64 memory; /* in the process */
  __u64 left;   /* bytes there */
  __u64 offset; /* in the stream */
  __u64 position;
  __u64 time;
  __u32 lane;
};

static __always_inline __u64 wakeup(__u64 now) {
  struct ftap_log_control* control = log_control();
  if (!control) return BPF_RB_NO_WAKEUP;
  if (control->wake) return 0;
  if (bpf_ringbuf_query(&ftap_ring, BPF_RB_AVAIL_DATA) <= ftap_force_above) return BPF_RB_NO_WAKEUP;
  if (now < control->forced + FTAP_FORCE_EVERY_NS) return BPF_RB_NO_WAKEUP;
  control->forced = now;
  return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void fill_head(struct ftap_log_record* head, __u16 type, __u32 size, __u64 stream,
                                      __u64 time) {
  head->header_size = sizeof(*head);
  head->type = type;
  head->size = size;
  head->stream = stream;
  head->offset = 0;
  head->time = time;
  head->position = 0;
}

static __always_inline void fill_span_head(struct ftap_log_record* head, const struct ftap_span* span,
                                           __u32 size) {
  fill_head(head, FTAP_LOG_BYTES, size, span->id, span->time);
  head->offset = span->offset;
  head->position = span->position;
}

static __always_inline void lose(struct ftap_stream* stream, __u32 cause, __u64 bytes) {
  __sync_fetch_and_add(&stream->lost[cause], bytes);
}

/* The same for bytes that are not counted in the stream yet. */
static __always_inline void pass_by(struct ftap_stream* stream, __u32 cause, __u64 bytes) {
  lose(stream, cause, bytes);
  __sync_fetch_and_add(&stream->bytes, bytes);
}

static __always_inline void advance(struct ftap_span* span, __u64 bytes, bool is_file) {
  span->memory += bytes;
  span->left -= bytes;
  span->offset += bytes;
  if (is_file) span->position += bytes;
}

/* `size` is a constant in all calls. */
static __always_inline void put_large(struct ftap_span* span, __u32 size) {
  struct ftap_log_record* record = bpf_ringbuf_reserve(&ftap_ring, sizeof(*record) + size, 0);
  if (!record) {
    lose(span->stream, FTAP_LOSS_RING_FULL, size);
    return;
  }
  fill_span_head(record, span, size);
  if (bpf_probe_read_user(record + 1, size, (void*)span->memory)) {
    bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
    lose(span->stream, FTAP_LOSS_FAULT, size);
    return;
  }
  bpf_ringbuf_submit(record, wakeup(span->time));
}

static __always_inline void put_small(struct ftap_span* span, __u64 size) {
  __u32 place = span->lane * ftap_nr_cpus + bpf_get_smp_processor_id();
  struct ftap_scratch* scratch = bpf_map_lookup_elem(&ftap_scratches, &place);
  __u32 n = size;
  asm volatile("" : "+r"(n)); /* otherwise the compiler proves the bound and the verifier never sees it */
  if (n > FTAP_SMALL) n = FTAP_SMALL;
  if (!scratch || bpf_probe_read_user(scratch->bytes, n, (void*)span->memory)) {
    lose(span->stream, FTAP_LOSS_FAULT, n);
    return;
  }
  fill_span_head(&scratch->head, span, n);
  if (bpf_ringbuf_output(&ftap_ring, scratch, sizeof(scratch->head) + n, wakeup(span->time)))
    lose(span->stream, FTAP_LOSS_RING_FULL, n);
}

static long put_piece(__u32 i, struct ftap_span* span) {
  __u64 n = span->left;
  if (!n) return 1;
  if (n >= 65536)
    put_large(span, n = 65536);
  else if (n >= 32768)
    put_large(span, n = 32768);
  else if (n >= 16384)
    put_large(span, n = 16384);
  else if (n >= 8192)
    put_large(span, n = 8192);
  else if (n >= FTAP_SMALL)
    put_large(span, n = FTAP_SMALL);
  else
    put_small(span, n);
  advance(span, n, span->stream->kind == FTAP_KIND_FILE);
  return 0;
}

/* Emits what is left of the span, and moves it on to its end. */
static __always_inline void put_span(struct ftap_span* span) {
  if (span->left < FTAP_SMALL)
    put_piece(0, span);
  else
    bpf_loop(FTAP_MAX_PIECES, put_piece, span, 0);
}

/* A record without bytes. The slots also hold what it tells, so a loss is only counted. */
static __always_inline void count_lost_event(void) {
  struct ftap_log_control* control = log_control();
  if (control) __sync_fetch_and_add(&control->lost_events, 1);
}

#endif /* FTAP_LIB_LOG_RING_BPF_H */
