/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each group of tasks (a cgroup) has used, counted at every context switch. Shared with userspace. */
#ifndef FTAP_ABI_USAGE_H
#define FTAP_ABI_USAGE_H

#include "stats/slots.h"

/* The group of tasks whose cgroup found no number, and of tasks about which nothing is known. */
#define FTAP_GROUP_OTHER 0U
/* How many groups there may be beside that one; a task's record has 16 bits for the number. */
#define FTAP_MOST_GROUPS 65535U

/*
 * One group on one CPU: element CPU * groups + group of the map. Only that CPU writes it: at a switch inside the
 * scheduler, where nothing else runs on the CPU, and with an atomic at the end of a task. A reader meanwhile sees each
 * number whole. The element returns to 0 when its number is given back, after the group's cgroup is gone.
 */
struct ftap_usage {
  unsigned long long run_ns;     /* on the CPU, as the kernel accounts it (sum_exec_runtime) */
  unsigned long long wait_ns;    /* runnable, until it was given the CPU */
  unsigned long long dispatches; /* times that it was */
  /* The waits of dispatches, by ftap_coarse_bucket() of stats/slots.h. They wrap. With them it is a cache line. */
  unsigned int waits[FTAP_COARSE_EDGES + 1];
};

/* What a CPU's task has run since its last switch, as of the last run of the program. It is element CPU of a map. */
struct ftap_running {
  unsigned long long run_ns;
  unsigned long long group;
  unsigned long long cycles; /* the CPU's counter at that switch: ftap_cpu.cycles */
};

/*
 * Set by a task that looks for a number and finds none, cleared by userspace once it has put some back. So tasks of
 * FTAP_GROUP_OTHER look again then, and not at each of their dispatches.
 */
struct ftap_numbers {
  unsigned long long used_up;
  /* Switches at which a CPU's cycle counter could not be read; the cycles before them belong to nobody. */
  unsigned long long cycles_unread;
};

#endif /* FTAP_ABI_USAGE_H */
