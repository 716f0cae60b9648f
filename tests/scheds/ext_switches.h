/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ext_switches.bpf.c has counted since it was attached. */
#ifndef FTAP_TESTS_EXT_SWITCHES_H
#define FTAP_TESTS_EXT_SWITCHES_H

struct ext_switches {
  unsigned long long switches; /* to tasks of the ext class */
  unsigned long long
      after_insertion; /* of these: the scheduler had inserted the task since its switch before */
  unsigned long long insertions;
  unsigned long long unmarked; /* insertions that could not be remembered */
};

#endif /* FTAP_TESTS_EXT_SWITCHES_H */
