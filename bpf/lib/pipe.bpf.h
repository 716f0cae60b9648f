/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in a pipe, and who may still read it. */
#ifndef FTAP_LIB_PIPE_BPF_H
#define FTAP_LIB_PIPE_BPF_H

#include "bpf/lib/file.bpf.h"

struct pipe_buffer {
  unsigned int len; /* bytes that were not read yet */
} __ftap_core;

struct pipe_inode_info {
  unsigned int head; /* the buffers from tail to head are in use, each modulo ring_size */
  unsigned int tail;
  unsigned int ring_size; /* a power of two */
  unsigned int readers;   /* open files that may read, wherever they are */
  unsigned int writers;
  struct pipe_buffer* bufs;
} __ftap_core;

static __always_inline struct pipe_inode_info* pipe_of(struct file* file) {
  return FTAP_AS(struct pipe_inode_info, FTAP_GET(file, private_data));
}

struct ftap_pipe_walk {
  __u64 bufs;
  __u64 bytes;
  __u32 at;
  __u32 head;
  __u32 mask;
  bool other; /* what was read is no pipe's memory */
};

#define FTAP_MOST_IN_BUFFER 65536 /* a page, of the largest kind that a kernel is built with */

static long add_buffer(__u32 i, struct ftap_pipe_walk* walk) {
  if (walk->at == walk->head) return 1;
  __u64 place = walk->bufs + (walk->at++ & walk->mask) * bpf_core_type_size(struct pipe_buffer);
  struct pipe_buffer* buffer = FTAP_AS(struct pipe_buffer, (void*)place);
  __u32 len = FTAP_GET(buffer, len);
  if (len > FTAP_MOST_IN_BUFFER) {
    walk->other = true;
    return 1;
  }
  walk->bytes += len;
  return 0;
}

#define FTAP_MOST_BUFFERS 4096 /* a pipe of 16 MiB; fcntl(2) gives 256 to whoever is not root */

/*
 * How many bytes wait in the pipe. Others may read and write meanwhile, and then it is not less than what stays in it
 * all the time, nor more than what was in it at any time since the call began.
 */
static __always_inline __u64 waiting_in(struct pipe_inode_info* pipe) {
  __u32 size = FTAP_GET(pipe, ring_size);
  struct ftap_pipe_walk walk = {.bufs = (__u64)FTAP_GET(pipe, bufs),
                                .at = FTAP_GET(pipe, tail),
                                .head = FTAP_GET(pipe, head),
                                .mask = size - 1};
  /* Others may move the tail before the head is read, and then it seems to have less. */
  if (walk.head - walk.at > size) return 0;
  bpf_loop(FTAP_MOST_BUFFERS, add_buffer, &walk, 0);
  /* Somebody has given it another size meanwhile, so this was other memory. */
  bool same = walk.bufs == (__u64)FTAP_GET(pipe, bufs) && size == FTAP_GET(pipe, ring_size);
  return same && !walk.other ? walk.bytes : 0;
}

#endif /* FTAP_LIB_PIPE_BPF_H */
