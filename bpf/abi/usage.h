/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each group of tasks (a cgroup) used, counted at every context switch; shared with userspace. */
#ifndef FTAP_ABI_USAGE_H
#define FTAP_ABI_USAGE_H

#include "stats/slots.h"

/* Tasks whose cgroup found no number, and those of which nothing is known. */
#define FTAP_GROUP_OTHER 0U
/* Beside that one; a task's record has 16 bits for it. */
#define FTAP_MOST_GROUPS 65535U

/*
 * One group on one CPU: element CPU * groups + group of the map. Only that CPU writes it: the switch inside the scheduler,
 * where nothing else runs there, the end of a task with an atomic. Whoever reads it meanwhile sees each number whole.
 * It goes back to 0 when the number does, after the group's cgroup is gone.
 */
struct ftap_usage {
  unsigned long long run_ns;     /* on the CPU, as the kernel accounts it (sum_exec_runtime) */
  unsigned long long wait_ns;    /* runnable, until it was given the CPU */
  unsigned long long dispatches; /* times that it was */
  /* The waits of dispatches, by ftap_coarse_bucket() of stats/slots.h. They wrap. With them it is a cache line. */
  unsigned int waits[FTAP_COARSE_EDGES + 1];
};

/* What a CPU's task has run since its last switch, of element CPU of a map; as of the last time that the program was run. */
struct ftap_running {
  unsigned long long run_ns;
  unsigned long long group;
  unsigned long long cycles; /* the CPU's counter at that switch: ftap_cpu.cycles */
};

/*
 * Set by who looks for a number and finds none, cleared by userspace when it has put some back: so that tasks of
 * FTAP_GROUP_OTHER look again, and do not at each of their dispatches.
 */
struct ftap_numbers {
  unsigned long long used_up;
  /* Switches at which a CPU's counter of cycles could not be read, so that those before them are nobody's. */
  unsigned long long cycles_unread;
};

#endif /* FTAP_ABI_USAGE_H */
