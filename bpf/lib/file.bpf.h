/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a descriptor of the current task to the file behind it, and what kind of file that is. */
#ifndef FTAP_LIB_FILE_BPF_H
#define FTAP_LIB_FILE_BPF_H

#include "bpf/abi/log.h"
#include "bpf/lib/kernel.bpf.h"

struct super_block {
  __u32 s_dev;
  unsigned long s_magic; /* as statfs(2) has it in f_type */
} __ftap_core;

struct inode {
  unsigned short i_mode;
  __u32 i_rdev;
  __u32 i_generation;
  unsigned long i_ino;
  long long i_size;
  struct super_block* i_sb;
} __ftap_core;

struct file {
  unsigned int f_mode;
  struct inode* f_inode;
  void* private_data;
  long long f_pos;
  unsigned int f_flags;
} __ftap_core;

/* A pointer in memory, as a structure that one can cast to. */
struct llist_node {
  struct llist_node* next;
} __ftap_core;

struct fdtable {
  unsigned int max_fds;
  struct file** fd;
} __ftap_core;

struct files_struct {
  struct fdtable* fdt;
} __ftap_core;

struct sock_common {
  unsigned short skc_family;
} __ftap_core;

struct sock {
  struct sock_common __sk_common;
} __ftap_core;

struct socket {
  short type;
  struct file* file;
  struct sock* sk;
} __ftap_core;

/*
 * NULL: the descriptor is not open. It may have been closed or given to another file since the system call began. Only
 * another thread of the same program can do that, and it would do it to its own reads and writes.
 */
static __always_inline struct file* file_of(struct task_struct* task, __u32 fd) {
  struct fdtable* fdt = untrusted(task)->files->fdt;
  if (fd >= fdt->max_fds) return NULL;
  struct llist_node* cell = FTAP_AS(struct llist_node, &fdt->fd[fd]);
  struct llist_node* file = FTAP_GET(cell, next);
  return file ? FTAP_AS(struct file, file) : NULL;
}

struct linux_binprm {
  struct file* file; /* the program that runs from now on; for a script, its interpreter */
} __ftap_core;

#define FTAP_FMODE_READ 1U
#define FTAP_FMODE_WRITE 2U

#define FTAP_PIPEFS_MAGIC 0x50495045

#define FTAP_S_IFMT 0170000
#define FTAP_S_IFSOCK 0140000
#define FTAP_S_IFREG 0100000
#define FTAP_S_IFCHR 0020000
#define FTAP_S_IFIFO 0010000
#define FTAP_O_APPEND 02000
#define FTAP_AF_UNIX 1
#define FTAP_SOCK_STREAM 1

static __always_inline bool is_pipe(struct inode* inode) {
  return (FTAP_GET(inode, i_mode) & FTAP_S_IFMT) == FTAP_S_IFIFO;
}

static __always_inline bool is_unix_stream(struct file* file) {
  struct socket* socket = FTAP_AS(struct socket, FTAP_GET(file, private_data));
  struct sock* sk = FTAP_AS(struct sock, FTAP_GET(socket, sk));
  return FTAP_GET(socket, type) == FTAP_SOCK_STREAM && FTAP_GET(sk, __sk_common.skc_family) == FTAP_AF_UNIX;
}

/* The major numbers in Linux' device list (Documentation/admin-guide/devices.txt). */
static __always_inline __u32 kind_of_device(__u32 rdev) {
  __u32 major = rdev >> 20, minor = rdev & 0xfffff;
  if (major == 1 && minor == 3) return FTAP_KIND_NONE; /* /dev/null */
  if (major == 4 || major == 5 || (major >= 136 && major <= 143)) return FTAP_KIND_TTY;
  return FTAP_KIND_OTHER;
}

static __always_inline __u32 kind_of(struct file* file, struct inode* inode) {
  switch (FTAP_GET(inode, i_mode) & FTAP_S_IFMT) {
    case FTAP_S_IFIFO:
      return FTAP_KIND_PIPE;
    case FTAP_S_IFREG:
      return FTAP_KIND_FILE;
    case FTAP_S_IFCHR:
      return kind_of_device(FTAP_GET(inode, i_rdev));
    case FTAP_S_IFSOCK:
      return is_unix_stream(file) ? FTAP_KIND_SOCKET : FTAP_KIND_OTHER;
    default:
      return FTAP_KIND_OTHER;
  }
}

static __always_inline bool is_exe_of_parent(struct task_struct* task, struct inode* inode) {
  struct inode* parents = BPF_CORE_READ(task, real_parent, mm, exe_file, f_inode);
  return parents == inode;
}

/*
 * What tells a pipe, file, ... from a later one with the same number (pipefs' numbers come back after 2^32, a
 * terminal's at once). Never 0. The kernel may drop a file's inode from memory and read it in again elsewhere, but its
 * generation stays.
 */
static __always_inline __u64 object_of(struct file* file, struct inode* inode, __u32 kind) {
  if (kind == FTAP_KIND_PIPE) return (__u64)FTAP_GET(file, private_data);
  if (kind == FTAP_KIND_FILE) return 1ULL << 32 | FTAP_GET(inode, i_generation);
  return (__u64)inode;
}

#endif /* FTAP_LIB_FILE_BPF_H */
