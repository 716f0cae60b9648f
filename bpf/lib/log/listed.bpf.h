/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is captured because the configuration lists it: units of systemd by the name of their cgroup, and processes by
 * their executable.
 *
 * A name alone proves nothing, since whoever holds a cgroup names those below it. Therefore everything above a unit's
 * cgroup must be a slice: a container's own cgroups stand below its scope (or below directories of a runtime that are
 * no slices), and a user's units below user@UID.service.
 */
#ifndef FTAP_LIB_LOG_LISTED_BPF_H
#define FTAP_LIB_LOG_LISTED_BPF_H

#include "bpf/lib/cgroup.bpf.h"
#include "bpf/lib/file.bpf.h"

struct ftap_unit_name {
  char text[FTAP_CGROUP_NAME]; /* zeros follow the name */
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, FTAP_MAX_LISTED);
  __type(key, struct ftap_unit_name);
  __type(value, __u8);
} ftap_units SEC(".maps");

/* The value is the mount namespace that the executable was listed for. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, FTAP_MAX_LISTED);
  __type(key, struct ftap_log_target);
  __type(value, __u32);
} ftap_exes SEC(".maps");

#define FTAP_MOST_SLICES 16U
#define FTAP_SLICE ".slice"

static __always_inline bool is_slice(struct kernfs_node* node) {
  char name[FTAP_CGROUP_NAME];
  char end[sizeof(FTAP_SLICE)];
  const char* at = BPF_CORE_READ(node, name);
  long size = bpf_probe_read_kernel_str(name, sizeof(name), at); /* with the NUL */
  if (size < (long)sizeof(FTAP_SLICE) || bpf_probe_read_kernel(end, sizeof(end), at + size - sizeof(end)))
    return false;
  for (unsigned int i = 0; i < sizeof(FTAP_SLICE); i++)
    if (end[i] != FTAP_SLICE[i]) return false;
  return true;
}

static __noinline int is_below_slices(struct kernfs_node* node) {
  for (unsigned int i = 0; i < FTAP_MOST_SLICES; i++) {
    node = parent_of(node);
    if (!node) return 0;
    if (!parent_of(node)) return i > 0; /* the root */
    if (!is_slice(node)) return 0;
  }
  return 0;
}

static __noinline int is_listed_unit(struct kernfs_node* node) {
  struct ftap_unit_name name = {};
  long size = bpf_probe_read_kernel_str(name.text, sizeof(name.text), BPF_CORE_READ(node, name));
  return size > 0 && bpf_map_lookup_elem(&ftap_units, &name);
}

static __always_inline bool is_listed_exe(struct task_struct* task, struct linux_binprm* bprm) {
  struct inode* inode = BPF_CORE_READ(bprm, file, f_inode);
  if (!inode) return false;
  struct ftap_log_target exe = {.ino = BPF_CORE_READ(inode, i_ino), .dev = BPF_CORE_READ(inode, i_sb, s_dev)};
  __u32* mounts = bpf_map_lookup_elem(&ftap_exes, &exe);
  if (!mounts || *mounts != BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum)) return false;
  /* The process has started its own program anew: its outputs are known. */
  return !is_exe_of_parent(task, inode);
}

/* FTAP_RULE_CONTAINER: neither is listed. A process that a unit's own processes start enters nothing. */
static __always_inline __u32 listed_rule(struct task_struct* task, struct linux_binprm* bprm) {
  struct cgroup* cgroup = task->cgroups->dfl_cgrp;
  struct cgroup* parents = task->real_parent->cgroups->dfl_cgrp;
  if (cgroup != parents && is_listed_unit(cgroup->kn) && is_below_slices(cgroup->kn)) return FTAP_RULE_UNIT;
  return is_listed_exe(task, bprm) ? FTAP_RULE_PROCESS : FTAP_RULE_CONTAINER;
}

#endif /* FTAP_LIB_LOG_LISTED_BPF_H */
