/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the ring of bpf/usage.bpf.c tells: a cgroup was made, is gone or has lost its last process, the container in it
 * has begun or ended, or another of its processes ended.
 */
#ifndef FTAP_ABI_CGROUP_EVENT_H
#define FTAP_ABI_CGROUP_EVENT_H

/*
 * The longest paths are Kubernetes', about 300 bytes: they name QoS class, pod uid and container id twice each under
 * systemd.
 */
#define FTAP_CGROUP_PATH 1024

enum ftap_cgroup_event_kind {
  FTAP_CGROUP_MADE,
  FTAP_CGROUP_GONE,
  FTAP_CGROUP_ENDED,
  FTAP_CGROUP_EMPTY, /* the last process in it and below has left */
  FTAP_CGROUP_BEGAN,
  FTAP_CGROUP_PROCESS_ENDED,
};

struct ftap_cgroup_event {
  unsigned long long id; /* inode number of its directory */
  unsigned int kind;     /* enum ftap_cgroup_event_kind */
  unsigned int length; /* of the path with its final 0; FTAP_CGROUP_PATH: cut off; 0: it could not be read */
  char path[FTAP_CGROUP_PATH]; /* from the hierarchy's root */
};

#define FTAP_PROCESS_NAME 16 /* kernel: TASK_COMM_LEN */

enum ftap_process_end_flag {
  FTAP_END_OOM = 1,          /* the kernel chose to kill it because memory was short */
  FTAP_END_STARTED = 2,      /* it has executed a program since it was forked */
  FTAP_END_OUTER_PARENT = 4, /* its parent is in another cgroup, as the manager of a unit is */
};

/*
 * FTAP_CGROUP_ENDED: the first process of a container ends, and the kernel kills all its others with it.
 * FTAP_CGROUP_PROCESS_ENDED: another process ends, for want of memory; or it has an outer parent.
 */
struct ftap_process_end {
  unsigned long long id;   /* of the cgroup that it was in */
  unsigned int kind;       /* enum ftap_cgroup_event_kind */
  unsigned int status;     /* as wait(2) has it */
  unsigned long long time; /* ns on CLOCK_MONOTONIC */
  unsigned int flags;      /* FTAP_END_* */
  unsigned int unused;
  char name[FTAP_PROCESS_NAME]; /* the kernel's short one, with a final 0 */
};

/* FTAP_CGROUP_BEGAN: the first process of a container executes its first program. */
struct ftap_container_begin {
  unsigned long long id; /* of the cgroup that it is in */
  unsigned int kind;     /* enum ftap_cgroup_event_kind */
  unsigned int pid;      /* its number in flowtapd's own pid namespace */
};

#endif /* FTAP_ABI_CGROUP_EVENT_H */
