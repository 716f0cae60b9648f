/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log tap's kernel interface: what stands in its ring, and the memory that both sides map.
 *
 * A stream is one place that bytes are written to (a pipe, file, tty or socket). While it lives it is known by device
 * and inode; its number is never used again. Its bytes are counted from 0, captured or not, and a record says where in
 * the stream its bytes stand. So whatever is lost leaves a gap of known length at a known place, and "captured + lost
 * == passed" holds for every stream.
 *
 * A build reads what an older or a newer one left. Therefore records tell their own size and get new fields only at
 * their ends; slots of streams are read by their fields' names, whose meaning never changes; and numbers of enums are
 * never used again.
 */
#ifndef FTAP_ABI_LOG_H
#define FTAP_ABI_LOG_H

#include <linux/types.h>

/* Every record of the ring begins with this. */
struct ftap_log_record {
  __u16 header_size; /* sizeof(struct ftap_log_record) in the build that wrote it */
  __u16 type;        /* enum ftap_log_type */
  __u32 size;        /* bytes of the payload, which follows the header */
  __u64 stream;      /* 0 where the record is about no stream */
  __u64 offset;      /* BYTES: where in the stream the first byte stands. END: bytes that passed in all */
  __u64 time;        /* ns on CLOCK_MONOTONIC */
  __u64 position;    /* BYTES of a regular file: where in the file; else 0 */
};

enum ftap_log_type {
  FTAP_LOG_ENTER = 1, /* a process's outputs are captured from now on; payload: struct ftap_log_enter */
  FTAP_LOG_BYTES = 2, /* payload: the bytes */
  /*
   * No more bytes can come; payload: struct ftap_log_end. A pipe's end is seen where its reader, which is not in the
   * container, reads to the end. Some readers leave before that (conmon does when its container lived only for a
   * moment); their streams end with the container's CGROUP_GONE.
   */
  FTAP_LOG_END = 3,
  FTAP_LOG_CGROUP_GONE = 4, /* payload: __u64, the id of the cgroup that was removed */
};

/* What a descriptor is connected to. */
enum ftap_log_kind {
  FTAP_KIND_NONE = 0, /* closed, or something that keeps nothing (/dev/null) */
  FTAP_KIND_PIPE = 1, /* pipe or FIFO, taken where it is read */
  FTAP_KIND_FILE = 2, /* regular file, taken where it is written, like all that follow */
  FTAP_KIND_TTY = 3,
  FTAP_KIND_SOCKET = 4, /* Unix stream socket */
  FTAP_KIND_OTHER = 5,  /* not captured, which a record says */
};

/* Why bytes that passed are not in the ring. Each row is a cause of flowtap_log_lost_bytes_total. */
enum ftap_log_loss {
  FTAP_LOSS_RING_FULL,
  FTAP_LOSS_FAULT,      /* the memory of the process could not be read */
  FTAP_LOSS_UNCAPTURED, /* moved in a way that this backend cannot read (splice, sendfile, ...) */
  FTAP_LOSS_QUIET,      /* nobody had drained the ring for FTAP_LOG_QUIET_NS */
  FTAP_LOSS_UNREAD,     /* the last reader left them in the pipe; they count as passed when the stream ends */
  FTAP_NR_LOSSES,
};

#define FTAP_STDOUT 1U /* bits of ftap_stream.fds and ftap_log_output.fds */
#define FTAP_STDERR 2U

/* One of the two outputs of a process. */
struct ftap_log_output {
  __u64 stream; /* 0: not captured; if the rest is 0, too, it belongs to somebody else */
  __u64 ino;
  __u32 dev;  /* as the kernel has it: major << 20 | minor */
  __u16 kind; /* enum ftap_log_kind */
  __u16 zero;
};

#define FTAP_CGROUP_NAME 128 /* longest name kept; "cri-containerd-<64 hex>.scope" has 85 */
#define FTAP_COMM 16         /* TASK_COMM_LEN */

/* Why a process's outputs are captured. */
enum ftap_log_rule {
  FTAP_RULE_CONTAINER = 0, /* first process of a container; for a stream also: userspace said so */
  FTAP_RULE_UNIT = 1,      /* it entered a systemd cgroup whose name is listed */
  FTAP_RULE_PROCESS = 2,   /* its executable is listed */
};

struct ftap_log_enter {
  __u64 cgroup;                     /* id in the v2 hierarchy */
  __u64 start_time;                 /* of the process, ns on CLOCK_BOOTTIME: its pid may be used again */
  __u32 pid;                        /* tgid in the first pid namespace */
  __u32 rule;                       /* enum ftap_log_rule */
  struct ftap_log_output output[2]; /* of descriptors 1 and 2; the same stream twice where they are one */
  char comm[FTAP_COMM];             /* like all three names it ends in a NUL unless it is cut off */
  char cgroup_name[FTAP_CGROUP_NAME];
  char parent_name[FTAP_CGROUP_NAME];
  __u32 users_names; /* 1: somebody but root may have chosen these names */
  __u32 nested;      /* 1: it was started within a container, in a cgroup below that one's */
};

struct ftap_log_end {
  __u64 lost[FTAP_NR_LOSSES]; /* bytes */
};

/* Key of the targets map: what a program finds behind a descriptor. Its value is the index of the stream's slot. */
struct ftap_log_target {
  __u64 ino;
  __u32 dev;
  __u32 zero;
};

enum ftap_stream_state {
  FTAP_STREAM_FREE = 0,
  FTAP_STREAM_OPEN = 1,
  /*
   * Userspace frees the slot a while after the end is in the journal: until then bytes may be counted here that were read before
   * the end by a thread which had to wait for a CPU.
   */
  FTAP_STREAM_ENDED = 2,
};

/* One slot of the streams map, mapped by userspace. Programs and userspace claim a free one by compare-and-swap of id. */
struct ftap_stream {
  __u64 id;    /* the stream's number; 0: the slot is free */
  __u64 bytes; /* that passed, captured or not: the offset of the next byte */
  __u64 lost[FTAP_NR_LOSSES];
  __u64 cgroup; /* of the process it was found on; 0: registered by userspace */
  __u64 ino;
  __u32 dev;
  __u32 pid; /* tgid of that process */
  __u16 kind;
  __u16 state; /* enum ftap_stream_state */
  __u32 fds;   /* FTAP_STDOUT | FTAP_STDERR */
  __u64 last;  /* ns on CLOCK_MONOTONIC of the last bytes */
  /*
   * What tells this pipe, file, ... from a later one that gets the same number. Only the programs write and compare it.
   * 0: userspace has registered the stream and nothing has passed yet.
   */
  __u64 object;
  __u64 start_time; /* of the process, as in ENTER; 0: not known */
  __u32 rule;       /* enum ftap_log_rule */
  __u32 zero;
  /*
   * Of a pipe: at least this many bytes were written to it, passed or still in it, as a process saw that ended with it as
   * an output. 0: none has.
   */
  __u64 written;
};

/*
 * One run of a listed process and all that it has started. Like a stream's, its name is the pid and start of that
 * process.
 */
struct ftap_run {
  __u64 start_time;
  __u32 pid;
  __u32 zero;
};

/* Value of the members map; the key is a process's pid. New fields come at its end. */
struct ftap_member {
  struct ftap_run run;
  __u64 start_time; /* of this process; 0: not known */
};

#define FTAP_MAX_MEMBERS \
  32768 /* of all runs; a process that finds no room is recognized by its parents while it has them */

#define FTAP_MAX_FILE_SYSTEMS 8 /* kinds of them that a backend may tell apart */

#define FTAP_MAX_LISTED \
  256 /* units, and as many executables; a configuration has fewer, entries of the old one included */

/* Twice the containers that design section 9 is measured with, and two streams each. */
#define FTAP_MAX_STREAMS 16384

/*
 * One lane for each program that uses scratch memory. The kernel keeps a program from preempting itself on a CPU, but
 * not from preempting another one. (Two programs that no kernel runs together may share a lane.)
 */
enum ftap_lane {
  FTAP_LANE_CALLS,
  FTAP_LANE_PIPE,
  FTAP_LANE_TTY,
  FTAP_LANE_UNIX,
  FTAP_LANE_GENERIC,
  FTAP_LANE_SHMEM,
  FTAP_LANE_EXT4,
  FTAP_LANE_XFS,
  FTAP_LANE_BTRFS,
  FTAP_NR_LANES /* a second program's lane (bpf/lib/log/second.bpf.h) is this many further on */
};

/* Word of the control map, mapped by userspace. Its place and meaning never change: builds of any age share it. */
struct ftap_log_control {
  __u64 heartbeat;   /* ns on CLOCK_MONOTONIC: when the ring was last drained */
  __u64 next_stream; /* number of the next stream */
  __u32 wake;        /* 1: somebody follows, so records wake the consumer when it has caught up */
  __u32 muted;       /* 1: register nothing, capture nothing */
  /* ENTER, END and CGROUP_GONE records that found no room; what they tell is also in the slots. */
  __u64 lost_events;
  __u64 no_slot; /* streams that were not registered because no free slot was found */
  __u64 forced;  /* ns on CLOCK_MONOTONIC of the last wake-up because the ring was filling */
  __u32 hint;    /* slot where the next search for a free one begins, modulo FTAP_MAX_STREAMS */
  __u32 zero;
  __u64 rescued; /* events that the first program missed and the second handled */
  __u64 unsure;  /* times a program could not say or learn who handles an event: perhaps nobody did */
};

/*
 * A filter in front of the targets map: it counts how many targets fall on each place, so that one load is enough to
 * pass most descriptors by. (Reads of pipes have another load behind it: bpf/lib/log/late.bpf.h.) It has counts instead
 * of bits because they can be taken back: after some weeks of containers every bit would be set. Whoever inserts a target
 * counts up before; whoever deletes one (the deletion that succeeded) counts down after.
 */
#define FTAP_FILTER_BITS 16
#define FTAP_FILTER_LINE 16 /* counts in a cache line; alone, the kernel would give each 8 bytes */

struct ftap_filter_line {
  __u32 count[FTAP_FILTER_LINE];
};

#define FTAP_FILTER_LINES ((1U << FTAP_FILTER_BITS) / FTAP_FILTER_LINE)

static inline __u32 ftap_filter_place(__u64 ino, __u32 dev) {
  return (__u32)(((ino ^ (__u64)dev << 32U) * 0x9e3779b97f4a7c15ULL) >> (64U - FTAP_FILTER_BITS));
}

/*
 * Raised with every change of the programs that a running node must get. A build takes over another one's programs
 * where layouts and this number are the same.
 */
#define FTAP_LOG_VERSION 13

#define FTAP_LOG_QUIET_NS (600ULL * 1000000000ULL)

#endif /* FTAP_ABI_LOG_H */
