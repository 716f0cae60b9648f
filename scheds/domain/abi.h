/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What domain.bpf.c and its loader share. */
#ifndef FTAP_SCHEDS_DOMAIN_ABI_H
#define FTAP_SCHEDS_DOMAIN_ABI_H

/* Tables of the programs are of fixed size; a larger machine is refused (CPUs), or has a domain per node (domains). */
#define FTAP_DOMAIN_CPUS 4096
#define FTAP_DOMAINS 64

#define FTAP_DOMAIN_NONE 0xffffffffU /* a CPU that was offline at the start */

/* The weight of a task with nice 0. */
#define FTAP_WEIGHT_NORMAL 100

/* Load is a weight, as of a task that always wants to run, in such parts: of one with nice 19 (weight 1) that sleeps, too, there is some. */
#define FTAP_LOAD_PARTS 1024

/*
 * One domain: its clock, and what the load balancer in userspace reads and writes. Each on cache lines of its own.
 */
struct ftap_domain {
  /* Its clock: up to where its tasks have run, in ns of a task of normal weight. */
  unsigned long long vtime;

  unsigned long long weight;     /* of all its tasks that run or want to */
  unsigned long long restricted; /* of these: of the tasks that may not use all of its CPUs */

  /*
   * Sum over its tasks of weight * ns in which they ran or wanted to, since it was last taken: added to by BPF, exchanged
   * with 0 by userspace.
   */
  unsigned long long load;

  /* Order of the balancer: tasks with so much load in all (in parts of a weight) go to `to`. */
  unsigned long long to_move;
  unsigned int to;
  unsigned int pad[3];

  unsigned long long looked_at; /* ns: when one of its CPUs last looked for a task, more or less */
} __attribute__((aligned(64)));

#endif /* FTAP_SCHEDS_DOMAIN_ABI_H */
