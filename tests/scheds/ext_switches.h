/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ext_switches.bpf.c has counted since it was attached. */
#ifndef FTAP_TESTS_EXT_SWITCHES_H
#define FTAP_TESTS_EXT_SWITCHES_H

struct ftap_ext_switches {
  unsigned long long switches; /* to tasks of the ext class */
  unsigned long long
      after_insertion; /* of these: the scheduler had inserted the task since its last switch */
  unsigned long long insertions;
  unsigned long long unmarked; /* insertions that could not be remembered */

  /* For the tasks of process `watched`, which userspace writes; 0: for none. */
  unsigned long long watched;
  unsigned long long watched_switches; /* to them */
  unsigned long long longest_wait;     /* most such switches from when a task loses its CPU to its next one */
};

#endif /* FTAP_TESTS_EXT_SWITCHES_H */
