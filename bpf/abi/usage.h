/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each group of tasks (a cgroup) used, counted at every context switch; shared with userspace. */
#ifndef FTAP_ABI_USAGE_H
#define FTAP_ABI_USAGE_H

/* Tasks whose cgroup found no place, and those before it was known. */
#define FTAP_GROUP_OTHER 0U

/*
 * One group on one CPU: element CPU * groups + group of the map. Only that CPU writes it, inside the scheduler, where
 * nothing else runs there; whoever reads it meanwhile sees each number whole. Nothing goes back to 0 but for a group that
 * is gone.
 */
struct ftap_usage {
  unsigned long long run_ns;     /* on the CPU, as the kernel accounts it (sum_exec_runtime) */
  unsigned long long wait_ns;    /* runnable, until it was given the CPU */
  unsigned long long dispatches; /* times that it was */
  unsigned long long pad[5];     /* to a cache line */
};

#endif /* FTAP_ABI_USAGE_H */
