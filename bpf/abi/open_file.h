/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bpf/open_files.bpf.c says about one open descriptor. Its iterator yields these structs one after the other. */
#ifndef FTAP_ABI_OPEN_FILE_H
#define FTAP_ABI_OPEN_FILE_H

#include <linux/types.h>

#define FTAP_MAY_READ 1U /* bits of ftap_open_file.mode */
#define FTAP_MAY_WRITE 2U

#define FTAP_CGROUPS_ABOVE 8

struct ftap_open_file {
  __u64 ino;
  __u64 cgroup; /* of the process, id in the v2 hierarchy; 0: the root, or none */
  __u64 parent_cgroup;
  __u64 start_time; /* of the process, ns on CLOCK_BOOTTIME */
  __u32 dev;        /* as the kernel has it: major << 20 | minor */
  __u32 pid;        /* tgid in the first pid namespace */
  __u32 fd;
  __u16 kind; /* enum ftap_log_kind */
  __u16 mode;
  __u32 entered; /* 1: its mount namespace is not its parent's, so it is where a container begins */
  __u32 mounts;  /* the number of its mount namespace */
  __u64 exe_ino; /* the program that it runs; 0: none */
  __u32 exe_dev;
  __u32 as_parent; /* 1: its parent runs the same program */
  __u64 magic;     /* of the file's file system, as statfs(2) has it */
  __u64 waiting;   /* of a pipe: bytes that nobody has read yet */
  __u32 readers;   /* of a pipe: open files that may read it, whoever has them */
  __u32 zero;
  __u64 above[FTAP_CGROUPS_ABOVE]; /* the cgroups above `cgroup`, nearest first; 0 behind the last */
};

#endif /* FTAP_ABI_OPEN_FILE_H */
