/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks that outlive flowtapd's builds. The program that is attached to the kernel only calls the one in its array's
 * place, so a newer build takes over with one store there: exactly one of the two handles each event.
 *
 * Streams change hands one by one. The new build's program asks its own tables first and passes whatever it does not
 * find there on to the older build's program, in whose tables the target still is. So a stream changes hands at the
 * moment at which userspace puts it into the new tables. (bpf/lib/log/second.bpf.h tells what happens between the two programs
 * of one event, where a function has two.)
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
 * ftap_on_X is attached, and ftap_at_X says who handles its events: this build's ftap_X from the start. ftap_old_X
 * holds the older build's handler while there is one. Userspace knows them by these names.
 */
#define FTAP_HOOK(hook, section)                     \
  struct ftap_programs ftap_at_##hook SEC(".maps");  \
  struct ftap_programs ftap_old_##hook SEC(".maps"); \
  SEC(section) int ftap_on_##hook(void* ctx) {       \
    bpf_tail_call_static(ctx, &ftap_at_##hook, 0);   \
    return 0;                                        \
  }

/* This call does not return where there is an older build. */
#define FTAP_PASS_ON(ctx, hook) bpf_tail_call_static(ctx, &ftap_old_##hook, 0)

#endif /* FTAP_LIB_LOG_HOOK_BPF_H */
