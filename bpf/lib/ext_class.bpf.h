/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of the kernel's scheduling classes a task is in. A class is known by its address, and only the list of symbols
 * says which address is sched_ext's. An iterator over that list is run once, before sched_switch is attached. It sees the
 * addresses whatever kernel.kptr_restrict hides from readers of /proc/kallsyms, and without CAP_SYSLOG.
 */
#ifndef FTAP_LIB_EXT_CLASS_BPF_H
#define FTAP_LIB_EXT_CLASS_BPF_H

#include "bpf/lib/kernel.bpf.h"

#define FTAP_EXT_CLASS "ext_sched_class"

struct kallsym_iter {
  unsigned long value;
  char name[sizeof(FTAP_EXT_CLASS)]; /* the kernel's is longer */
  char module_name[1];               /* likewise; empty for the kernel's own */
} __ftap_core;

struct bpf_iter__ksym {
  union {
    struct kallsym_iter* ksym; /* NULL: the end of the list */
  };
} __ftap_core;

/* Set before load. Where the kernel has no sched_ext, the verifier removes the questions. */
const volatile bool ftap_has_ext = false;

__u64 ftap_ext_class = 0; /* 0: not found (it is listed with CONFIG_KALLSYMS_ALL), so that no task is in it */

SEC("iter/ksym")
int ftap_class_iter(struct bpf_iter__ksym* ctx) {
  struct kallsym_iter* symbol = ctx->ksym;
  if (!symbol || symbol->name[0] != FTAP_EXT_CLASS[0] || symbol->module_name[0]) return 0;
  char name[sizeof(FTAP_EXT_CLASS)];
  bpf_probe_read_kernel(name, sizeof(name), symbol->name);
  if (!__builtin_memcmp(name, FTAP_EXT_CLASS, sizeof(name))) ftap_ext_class = symbol->value;
  return 0;
}

/* 0 where nobody asks for it. */
static __always_inline __u64 class_address(struct task_struct* task) {
  return ftap_has_ext ? (__u64)task->sched_class : 0;
}

static __always_inline bool is_ext(__u64 class_address) {
  return ftap_has_ext && class_address == ftap_ext_class;
}

#endif /* FTAP_LIB_EXT_CLASS_BPF_H */
