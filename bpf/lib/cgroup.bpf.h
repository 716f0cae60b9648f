/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a cgroup stands in the v2 hierarchy, told from the node of its directory. */
#ifndef FTAP_LIB_CGROUP_BPF_H
#define FTAP_LIB_CGROUP_BPF_H

#include "bpf/lib/kernel.bpf.h"

/* Cgroups deeper than this are not looked at; systemd, runtimes and kubelet nest at most half as deep. */
#define FTAP_CGROUP_DEPTH 16

static __always_inline struct kernfs_node* parent_of(struct kernfs_node* node) {
  if (bpf_core_field_exists(node->__parent)) return BPF_CORE_READ(node, __parent);
  return BPF_CORE_READ((struct kernfs_node___before_6_15*)node, parent);
}

/* Whether the node belongs to that cgroup or to one below it. */
static __always_inline bool is_within(struct kernfs_node* node, __u64 cgroup) {
  for (int i = 0; node && i < FTAP_CGROUP_DEPTH; i++) {
    if (BPF_CORE_READ(node, id) == cgroup) return true;
    node = parent_of(node);
  }
  return false;
}

/*
 * Who may name what is in this directory: its owner. kernfs_iop_mkdir() in the kernel asks for write permission there,
 * and a directory belongs to whoever made it or was given it.
 */
static __always_inline bool is_of_root(struct kernfs_node* node) {
  struct kernfs_iattrs* attributes = BPF_CORE_READ(node, iattr);
  return !attributes || BPF_CORE_READ(attributes, ia_uid.val) == 0;
}

#endif /* FTAP_LIB_CGROUP_BPF_H */
