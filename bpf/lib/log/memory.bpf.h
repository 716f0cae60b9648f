/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Emits the bytes that a system call moved. Their memory comes in several shapes: flat, vectors, messages. */
#ifndef FTAP_LIB_LOG_MEMORY_BPF_H
#define FTAP_LIB_LOG_MEMORY_BPF_H

#include "bpf/lib/log/ring.bpf.h"
#include "bpf/lib/syscall.bpf.h"

#define FTAP_MAX_SEGMENTS 1024U /* UIO_MAXIOV; the limit of messages in one call, too */

/* The layouts of 64-bit tasks (linux/uio.h, linux/socket.h). */
struct ftap_iovec {
  __u64 memory;
  __u64 length;
};

struct ftap_msghdr {
  __u64 name;
  __u64 name_length;
  __u64 vector;
  __u64 segments;
  __u64 rest[3];
};

struct ftap_mmsghdr {
  struct ftap_msghdr message;
  __u32 sent; /* bytes */
  __u32 zero;
};

struct ftap_compat_mmsghdr {
  __u32 message[7];
  __u32 sent;
};

struct ftap_walk {
  struct ftap_span span;
  __u64 left; /* bytes to emit in all; the span holds those of one segment */
  __u64 vector;
  __u64 messages;
  __u64 skip;          /* bytes of the first segment to leave out */
  bool kernels_vector; /* the vector is the kernel's copy */
};

static __always_inline void lose_rest(struct ftap_walk* walk) {
  lose(walk->span.stream, FTAP_LOSS_FAULT, walk->left);
  advance(&walk->span, walk->left, walk->span.stream->kind == FTAP_KIND_FILE);
  walk->left = 0;
}

static long put_segment(__u32 i, struct ftap_walk* walk) {
  if (!walk->left) return 1;
  struct ftap_iovec segment;
  void* at = (void*)(walk->vector + i * sizeof(segment));
  if (walk->kernels_vector ? bpf_probe_read_kernel(&segment, sizeof(segment), at)
                           : bpf_probe_read_user(&segment, sizeof(segment), at)) {
    lose_rest(walk);
    return 1;
  }
  __u64 skip = i ? 0 : walk->skip;
  __u64 there = segment.length - skip;
  __u64 n = there < walk->left ? there : walk->left;
  walk->left -= n;
  walk->span.memory = segment.memory + skip;
  walk->span.left = n;
  if (n) put_span(&walk->span);
  return 0;
}

static __always_inline void put_vector(struct ftap_walk* walk, __u64 vector, __u64 bytes) {
  walk->vector = vector;
  walk->left = bytes;
  bpf_loop(FTAP_MAX_SEGMENTS, put_segment, walk, 0);
  if (walk->left) lose_rest(walk); /* somebody has changed the vector meanwhile */
}

/* Stands for a message whose length cannot be read any more, so that it leaves a gap. */
#define FTAP_UNKNOWN_LENGTH 1U

static long put_message(__u32 i, struct ftap_walk* walk) {
  struct ftap_mmsghdr message;
  if (bpf_probe_read_user(&message, sizeof(message), (void*)(walk->messages + i * sizeof(message)))) {
    pass_by(walk->span.stream, FTAP_LOSS_FAULT, FTAP_UNKNOWN_LENGTH);
    return 0;
  }
  walk->span.offset = __sync_fetch_and_add(&walk->span.stream->bytes, message.sent);
  put_vector(walk, message.message.vector, without_bounds(message.sent, walk->span.time));
  return 0;
}

/* `passed`: what the call returned, > 0. All of it is counted in the stream before any of it is emitted. */
static __always_inline void put_call(struct ftap_walk* walk, const struct ftap_call* call, __u64 passed) {
  if (call->shape == FTAP_MEMORY_MESSAGES) {
    walk->messages = call->memory;
    bpf_loop(passed < FTAP_MAX_SEGMENTS ? passed : FTAP_MAX_SEGMENTS, put_message, walk, 0);
    return;
  }
  walk->span.offset = __sync_fetch_and_add(&walk->span.stream->bytes, passed);
  if (call->shape == FTAP_MEMORY_FLAT) {
    walk->span.memory = call->memory;
    walk->span.left = passed;
    put_span(&walk->span);
    return;
  }
  __u64 vector = call->memory;
  if (call->shape == FTAP_MEMORY_MESSAGE) {
    struct ftap_msghdr message = {};
    /* Where this cannot be read the address stays 0, and the walk counts the fault. */
    bpf_probe_read_user(&message, sizeof(message), (void*)call->memory);
    vector = message.vector;
  }
  put_vector(walk, vector, passed);
}

struct ftap_sent {
  __u64 at;
  __u64 apart;
  __u64 bytes;
};

static long add_sent(__u32 i, struct ftap_sent* sent) {
  __u32 n;
  if (bpf_probe_read_user(&n, sizeof(n), (void*)(sent->at + i * sent->apart))) n = FTAP_UNKNOWN_LENGTH;
  sent->bytes += n;
  return 0;
}

/* `returned` is a number of bytes, or of messages. */
static __always_inline __u64 bytes_of(const struct ftap_call* call, __u64 returned) {
  struct ftap_sent sent = {.at = call->memory};
  if (call->shape == FTAP_MEMORY_MESSAGES) {
    sent.at += __builtin_offsetof(struct ftap_mmsghdr, sent);
    sent.apart = sizeof(struct ftap_mmsghdr);
  } else if (call->shape == FTAP_MEMORY_COMPAT_MESSAGES) {
    sent.at += __builtin_offsetof(struct ftap_compat_mmsghdr, sent);
    sent.apart = sizeof(struct ftap_compat_mmsghdr);
  } else {
    return returned;
  }
  bpf_loop(returned < FTAP_MAX_SEGMENTS ? returned : FTAP_MAX_SEGMENTS, add_sent, &sent, 0);
  return sent.bytes;
}

struct ftap_asked {
  __u64 vector;
  __u64 segments;
  bool some;
};

static long add_asked(__u32 i, struct ftap_asked* asked) {
  struct ftap_iovec segment;
  if (i >= asked->segments ||
      bpf_probe_read_user(&segment, sizeof(segment), (void*)(asked->vector + i * sizeof(segment))))
    return 1;
  asked->some = segment.length;
  return asked->some;
}

/* Whether a read asked for more than 0 bytes. */
static __always_inline bool asked_for_some(const struct ftap_call* call) {
  if (call->shape == FTAP_MEMORY_FLAT) return call->length;
  struct ftap_asked asked = {.vector = call->memory, .segments = call->length};
  bpf_loop(FTAP_MAX_SEGMENTS, add_asked, &asked, 0);
  return asked.some;
}

#endif /* FTAP_LIB_LOG_MEMORY_BPF_H */
