/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The other backend: programs at the ends of the kernel's own functions. They see io_uring as well, cost nothing where
 * nothing is tapped, and cannot be misled by what threads do to descriptors. Not every kernel allows them.
 *
 * A program here stands where the copy is done, so the memory was just used and is there. The copy has moved the
 * iterator that described the memory on, so the program follows it back.
 */
#ifndef FTAP_LIB_LOG_FUNCTIONS_BPF_H
#define FTAP_LIB_LOG_FUNCTIONS_BPF_H

#include "bpf/lib/log/hook.bpf.h"
#include "bpf/lib/log/second.bpf.h"

enum iter_type { ITER_UBUF, ITER_IOVEC };

struct iovec;

struct iov_iter {
  __u8 iter_type;
  unsigned long iov_offset; /* in the segment that is next */
  unsigned long count;      /* bytes left */
  const struct iovec* __iov;
  void* ubuf;
} __ftap_core;

struct iov_iter___before_6_4 {
  const struct iovec* iov;
} __ftap_core;

struct kiocb {
  struct file* ki_filp;
  long long ki_pos;
} __ftap_core;

struct msghdr {
  struct iov_iter msg_iter;
} __ftap_core;

/* Walks back to `left` bytes before the iterator's place, as the kernel's iov_iter_revert() does. */
struct ftap_revert {
  __u64 segment; /* address of a struct iovec */
  __u64 left;
  __u64 skip; /* bytes of that segment before the place */
};

static long revert_one(__u32 i, struct ftap_revert* revert) {
  struct ftap_iovec segment;
  revert->segment -= sizeof(segment);
  if (bpf_probe_read_kernel(&segment, sizeof(segment), (void*)revert->segment)) return 1;
  if (revert->left <= segment.length) {
    revert->skip = segment.length - revert->left;
    revert->left = 0;
    return 1;
  }
  revert->left -= segment.length;
  return 0;
}

static __always_inline void put_vector_of(struct iov_iter* iter, struct ftap_walk* walk, __u64 n) {
  struct ftap_revert revert = {.left = n};
  if (bpf_core_field_exists(iter->__iov))
    revert.segment = (__u64)BPF_CORE_READ(iter, __iov);
  else
    revert.segment = (__u64)BPF_CORE_READ((struct iov_iter___before_6_4*)iter, iov);
  __u64 here = BPF_CORE_READ(iter, iov_offset);
  if (n <= here) {
    revert.skip = here - n;
  } else {
    revert.left = n - here;
    bpf_loop(FTAP_MAX_SEGMENTS, revert_one, &revert, 0);
  }
  walk->skip = revert.skip;
  walk->kernels_vector = true;
  put_vector(walk, revert.segment, n);
}

/*
 * `returned` bytes went through the file, into or out of the memory before the iterator's place. `position` is where they end.
 */
static __always_inline void take_iter(const struct ftap_tapped* tapped, struct iov_iter* iter, __u64 returned,
                                      __u64 position, __u32 lane) {
  struct ftap_stream* stream = tapped->stream;
  __u64 now = bpf_ktime_get_ns();
  __u64 n = without_bounds(returned, now); /* some functions return 32 bits */
  stream->last = now;
  if (is_quiet(now)) {
    pass_by(stream, FTAP_LOSS_QUIET, n);
    return;
  }
  __u32 type = BPF_CORE_READ(iter, iter_type);
  struct ftap_walk walk = {.span = {.stream = stream, .id = stream->id, .time = now, .lane = lane}};
  if (stream->kind == FTAP_KIND_FILE) walk.span.position = position - n;
  if (type == bpf_core_enum_value(enum iter_type, ITER_UBUF)) {
    walk.span.offset = __sync_fetch_and_add(&stream->bytes, n);
    walk.span.memory = (__u64)BPF_CORE_READ(iter, ubuf) + BPF_CORE_READ(iter, iov_offset) - n;
    walk.span.left = n;
    put_span(&walk.span);
  } else if (type == bpf_core_enum_value(enum iter_type, ITER_IOVEC)) {
    walk.span.offset = __sync_fetch_and_add(&stream->bytes, n);
    put_vector_of(iter, &walk, n);
  } else {
    count_moved(stream, n); /* kernel pages: sendfile, splice, registered buffers */
  }
}

/* These are false where the file is not tapped although the event could concern a log. */
static __always_inline bool on_written(struct file* file, struct iov_iter* iter, long ret, __u64 position,
                                       __u32 lane, bool second) {
  struct ftap_tapped tapped;
  if (ret <= 0 || !file || is_muted()) return true;
  if (!find_file(file, false, &tapped)) return false;
  if (is_mine(&tapped, second)) take_iter(&tapped, iter, ret, position, lane_of(lane, second));
  return true;
}

static __always_inline bool on_read(struct file* file, struct iov_iter* iter, long ret, bool second) {
  struct ftap_tapped tapped;
  if (ret < 0 || is_muted()) return true;
  if (!find_file(file, true, &tapped)) return ret && was_late(&tapped, ret, second);
  if (!is_mine(&tapped, second)) return true;
  if (ret) {
    take_iter(&tapped, iter, ret, 0, lane_of(FTAP_LANE_PIPE, second));
  } else if (BPF_CORE_READ(iter, count) && was_end(&tapped)) {
    end_read(&tapped);
    forget_note(second);
  }
  return true;
}

static __always_inline bool on_moved(struct file* file, bool reads, long ret, bool second) {
  struct ftap_tapped tapped;
  if (ret <= 0 || !file || is_muted()) return true;
  if (!find_file(file, reads, &tapped)) return reads && was_late(&tapped, ret, second);
  if (is_mine(&tapped, second)) count_moved(tapped.stream, ret);
  return true;
}

/* `on` is one of the above; its `second` says which of the two programs asks. */
#define FTAP_FUNCTION_PROGRAM(hook, function, is_second, on, ...)   \
  FTAP_HOOK(hook, "?fexit/" #function)                              \
  SEC("?fexit/" #function) int BPF_PROG(ftap_##hook, __VA_ARGS__) { \
    const bool second = is_second;                                  \
    if (!(on)) FTAP_PASS_ON(ctx, hook);                             \
    return 0;                                                       \
  }
#define FTAP_FUNCTION(hook, function, on, ...)                  \
  FTAP_FUNCTION_PROGRAM(hook, function, false, on, __VA_ARGS__) \
  FTAP_FUNCTION_PROGRAM(hook##_2nd, function, true, on, __VA_ARGS__)

/* Since 6.15 the next function has this name; FIFOs then got a function of their own, which calls this one. */
FTAP_FUNCTION(apipe, anon_pipe_read, on_read(iocb->ki_filp, iter, ret, second), struct kiocb* iocb,
              struct iov_iter* iter, long ret)

FTAP_FUNCTION(pipe, pipe_read, on_read(iocb->ki_filp, iter, ret, second), struct kiocb* iocb,
              struct iov_iter* iter, long ret)

/*
 * What is spliced into a file comes to the file's own function; a splice out of a pipe reaches none. (A vmsplice from a
 * read end is not seen here.)
 */
FTAP_FUNCTION(splice, do_splice, on_moved(in, true, ret, second), struct file* in, void* in_at,
              struct file* out, void* out_at, unsigned long length, unsigned int flags, long ret)

FTAP_FUNCTION(tty, tty_write, on_written(iocb->ki_filp, iter, ret, 0, FTAP_LANE_TTY, second),
              struct kiocb* iocb, struct iov_iter* iter, long ret)

FTAP_FUNCTION(unix, unix_stream_sendmsg,
              on_written(socket->file, &message->msg_iter, ret, 0, FTAP_LANE_UNIX, second),
              struct socket* socket, struct msghdr* message, unsigned long length, int ret)

/* Before 6.5 sendfile(2) reaches this function. */
FTAP_FUNCTION(page, unix_stream_sendpage, on_moved(socket->file, false, ret, second), struct socket* socket,
              void* page, int offset, unsigned long size, int flags, long ret)

/*
 * One function per file system; each has moved the position on by now. A write passes only one of them, but a write to
 * one file system may preempt a write to another.
 */
#define FTAP_FILE_WRITE(hook, function, lane)                                                     \
  FTAP_FUNCTION(hook, function, on_written(iocb->ki_filp, iter, ret, iocb->ki_pos, lane, second), \
                struct kiocb* iocb, struct iov_iter* iter, long ret)
FTAP_FILE_WRITE(gen, generic_file_write_iter, FTAP_LANE_GENERIC)
FTAP_FILE_WRITE(shmem, shmem_file_write_iter, FTAP_LANE_SHMEM)
FTAP_FILE_WRITE(ext4, ext4_file_write_iter, FTAP_LANE_EXT4)
FTAP_FILE_WRITE(xfs, xfs_file_write_iter, FTAP_LANE_XFS)
FTAP_FILE_WRITE(btrfs, btrfs_file_write_iter, FTAP_LANE_BTRFS)

#endif /* FTAP_LIB_LOG_FUNCTIONS_BPF_H */
