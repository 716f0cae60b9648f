/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cgroup that a task's usage counts for: in the v2 hierarchy, or in the v1 hierarchy that has cpuacct. */
#ifndef FTAP_LIB_USAGE_CGROUP_BPF_H
#define FTAP_LIB_USAGE_CGROUP_BPF_H

#include "bpf/lib/kernel.bpf.h"

/*
 * cgroup_root.hierarchy_id of that hierarchy; 0: v2. It is set before load: the verifier then removes the question to
 * the other hierarchy, and with it the enumerator that a kernel without CONFIG_CGROUP_CPUACCT does not have.
 */
const volatile __u32 ftap_usage_hierarchy = 0;

/* The answer holds as long as the task's css_set is the same. */
static __always_inline struct cgroup* usage_cgroup(struct task_struct* task) {
  struct css_set* set = untrusted(task)->cgroups;
  if (!ftap_usage_hierarchy) return set->dfl_cgrp;
  struct cgroup_subsys_state** states = __builtin_preserve_access_index(&set->subsys[0]);
  return states[bpf_core_enum_value(enum cgroup_subsys_id, cpuacct_cgrp_id)]->cgroup;
}

static __always_inline bool tells_usage(struct cgroup* cgroup) {
  return (__u32)cgroup->root->hierarchy_id == ftap_usage_hierarchy;
}

#endif /* FTAP_LIB_USAGE_CGROUP_BPF_H */
