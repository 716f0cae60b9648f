/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the dispatch program knows about each CPU. Userspace shares it and fills in where the CPU stands. */
#ifndef FTAP_ABI_CPU_H
#define FTAP_ABI_CPU_H

/* A CPU whose place is not known (it was offline since boot, or sysfs shows no caches) shares nothing with another. */
#define FTAP_PLACE_UNKNOWN 0xffffffffU

struct ftap_cpu {
  /* Written by userspace before the programs are attached, and again when CPUs come and go. */
  unsigned int llc;  /* id of the last-level cache: the lowest CPU under it */
  unsigned int node; /* NUMA node */

  /* Written by the sched_switch program on this CPU; read by it on others. */
  unsigned long long switches; /* context switches seen on this CPU */
  unsigned long long task;     /* address of the task that runs here; 0: the idle task does */
  unsigned long long cycles;   /* its counter of cycles at the last switch; 0: it was not read then */
  unsigned int last_blocked;   /* 1 when the task that the last switch took off this CPU went to sleep */
  unsigned int pad[7];         /* fills the cache line, so that no CPU's switches disturb another's */
};

#endif /* FTAP_ABI_CPU_H */
