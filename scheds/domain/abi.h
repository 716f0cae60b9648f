/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What domain.bpf.c and its loader share. */
#ifndef FTAP_SCHEDS_DOMAIN_ABI_H
#define FTAP_SCHEDS_DOMAIN_ABI_H

/*
 * The programs' tables have a fixed size. A machine with more CPUs is refused; one with more domains gets a domain per
 * node.
 */
#define FTAP_DOMAIN_CPUS 4096
#define FTAP_DOMAINS 64

#define FTAP_DOMAIN_NONE 0xffffffffU /* a CPU that was offline at the start */

/* The weight of a task with nice 0. */
#define FTAP_WEIGHT_NORMAL 100

/*
 * Load is a weight, divided into this many parts. A task that always wants to run has its whole weight as load. Because
 * of the parts, even a task with nice 19 (weight 1) that sometimes sleeps has some load.
 */
#define FTAP_LOAD_PARTS 1024

/*
 * One domain: its clock, and what the load balancer in userspace reads and writes. Each domain has cache lines of its
 * own.
 */
struct ftap_domain {
  /* Its clock: up to where its tasks have run, in ns of a task of normal weight. */
  unsigned long long vtime;

  unsigned long long weight;     /* of all its tasks that run or want to */
  unsigned long long restricted; /* the part of it from tasks that may not use all of its CPUs */

  /*
   * Sum over its tasks of weight * ns in which they ran or wanted to run, since the last reading. BPF adds to it;
   * userspace exchanges it with 0.
   */
  unsigned long long load;

  /* The balancer's order: tasks with this much load in all (in parts of a weight) go to `to`. */
  unsigned long long to_move;
  unsigned int to;
  unsigned int pad[3];

  unsigned long long looked_at; /* ns: when one of its CPUs last looked for a task, more or less */
} __attribute__((aligned(64)));

#endif /* FTAP_SCHEDS_DOMAIN_ABI_H */
