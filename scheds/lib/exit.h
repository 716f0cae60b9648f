/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one of our schedulers leaves behind when the kernel has ended it. ops.exit writes it, and the loader reads it.
 */
#ifndef FTAP_SCHEDS_EXIT_H
#define FTAP_SCHEDS_EXIT_H

#define FTAP_EXIT_REASON 128
#define FTAP_EXIT_MESSAGE 1024 /* SCX_EXIT_MSG_LEN */

struct ftap_exit {
  long long code;
  char reason[FTAP_EXIT_REASON];
  char message[FTAP_EXIT_MESSAGE];
  long long kind; /* enum scx_exit_kind, never 0 once it has ended; written last */
};

#endif /* FTAP_SCHEDS_EXIT_H */
