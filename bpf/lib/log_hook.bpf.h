/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks that outlive the builds of flowtapd. What is attached to the kernel is a program that only calls the one in
 * its array's place, so a newer build takes over with one store there: each event is handled by exactly one of the two.
 *
 * Streams change hands one by one. The new build's program asks its own tables first and passes on to the older
 * build's what it does not find there (the older one's target is still in its tables); so the moment at which userspace puts
 * a stream into the new tables is the moment at which it changes hands. (Between the two programs of one event, where a
 * function has two: log_second.bpf.h.)
 */
#ifndef FTAP_LIB_LOG_HOOK_BPF_H
#define FTAP_LIB_LOG_HOOK_BPF_H

#include "bpf/lib/kernel.bpf.h"

/* The kernel lets only programs of the same function or tracepoint into one array. */
struct ftap_programs {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
};

/*
 * ftap_on_X is attached, and ftap_at_X says who handles its events: this build's ftap_X from the start.
 * ftap_old_X has the older build's handler as long as there is one. Userspace knows them by these names.
 */
#define FTAP_HOOK(hook, section)                     \
  struct ftap_programs ftap_at_##hook SEC(".maps");  \
  struct ftap_programs ftap_old_##hook SEC(".maps"); \
  SEC(section) int ftap_on_##hook(void* ctx) {       \
    bpf_tail_call_static(ctx, &ftap_at_##hook, 0);   \
    return 0;                                        \
  }

/* Does not come back where there is an older build. */
#define FTAP_PASS_ON(ctx, hook) bpf_tail_call_static(ctx, &ftap_old_##hook, 0)

#endif /* FTAP_LIB_LOG_HOOK_BPF_H */
