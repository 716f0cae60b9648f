/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A second chance for events whose program was kept from running.
 *
 * Programs at functions may be preempted. While a task is preempted in one, the kernel does not run the program for the
 * other tasks of that CPU. So where that may happen each function has two programs, one behind the other. The first
 * notes at its task which event it has handled; the second handles only events without a note. Then an event is lost
 * only where tasks were preempted in both programs.
 *
 * No event is handled by both. The note is the task's own, so only the two programs of one call touch it, and it does
 * not matter how many tasks read from one pipe. All builds share the one map of notes, and a note names the inode and
 * no build's slot. So the second program finds the note even where a stream changes hands between the two programs of a
 * call, and another build's first program has handled the event.
 *
 * A note stays if its second program was kept from running, and may then stand for a later event that the first misses.
 * It becomes void once its task has slept, which it does not do between the two programs, and the next event that the
 * first handles replaces it. So such a loss comes only with a miss of the second, then or shortly before.
 *
 * The kernel runs programs at one function in the reverse order of their attachment.
 */
#ifndef FTAP_LIB_LOG_SECOND_BPF_H
#define FTAP_LIB_LOG_SECOND_BPF_H

#include "bpf/lib/log/late.bpf.h"

/* Set before load. */
const volatile bool ftap_has_seconds = false;

/* Like the control word's, its place and meaning never change. */
struct ftap_note {
  __u64 inode; /* address; 0: none */
  __u64 slept; /* how often the task had slept when the note was made */
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct ftap_note);
} ftap_notes SEC(".maps");

/* NULL: not available now (another task of this CPU was preempted while it got one), or there is no memory. */
static __always_inline struct ftap_note* note_of(struct task_struct* task) {
  return bpf_task_storage_get(&ftap_notes, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline void count_word(__u64* word) {
  __sync_fetch_and_add(word, 1);
}

/* Whether this program must handle the event of the tapped file. */
static __always_inline bool is_mine(const struct ftap_tapped* tapped, bool second) {
  if (!ftap_has_seconds) return true;
  struct ftap_log_control* control = log_control();
  if (!control) return false;
  struct task_struct* task = bpf_get_current_task_btf();
  struct ftap_note* note = note_of(task);
  if (!note) {
    count_word(&control->unsure);
    return false;
  }
  __u64 inode = (__u64)tapped->inode;
  if (!second) {
    note->inode = inode;
    note->slept = task->nvcsw;
    return true;
  }
  bool handled = note->inode == inode && note->slept == task->nvcsw;
  note->inode = 0;
  if (!handled) count_word(&control->rescued);
  return !handled;
}

/* True: `n` bytes were read late from a pipe that was not found any more. One of the two programs has counted them. */
static __always_inline bool was_late(const struct ftap_tapped* tapped, __u64 n, bool second) {
  struct ftap_stream* stream = just_ended(tapped);
  if (stream && is_mine(tapped, second)) pass_by(stream, FTAP_LOSS_UNCAPTURED, n);
  return stream;
}

/* The second program will not find the stream any more, so it leaves the note alone. */
static __always_inline void forget_note(bool second) {
  if (!ftap_has_seconds || second) return;
  struct ftap_note* note = note_of(bpf_get_current_task_btf());
  if (note) note->inode = 0;
}

static __always_inline __u32 lane_of(__u32 lane, bool second) {
  return second ? lane + FTAP_NR_LANES : lane;
}

#endif /* FTAP_LIB_LOG_SECOND_BPF_H */
