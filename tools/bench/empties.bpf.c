/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An empty program on each tracepoint of bpf/dispatch.bpf.c, for the cost of being called and timed. */
#include "bpf/lib/kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define FTAP_EMPTY(name, event) \
  SEC("tp_btf/" event)          \
  int name(void* ctx) {         \
    return 0;                   \
  }

FTAP_EMPTY(ftap_0_newtask, "task_newtask")
FTAP_EMPTY(ftap_0_waking, "sched_waking")
FTAP_EMPTY(ftap_0_wakeup, "sched_wakeup")
FTAP_EMPTY(ftap_0_wakenew, "sched_wakeup_new")
FTAP_EMPTY(ftap_0_migrate, "sched_migrate_task")
FTAP_EMPTY(ftap_0_switch, "sched_switch")
