/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where each stat of kernel.def and scheds.def lives in memory: the slot enum, and the block, of which each possible CPU has one
 * per scheduler class. Both compilers include it, so the layout exists once.
 */
#ifndef FTAP_STATS_SLOTS_H
#define FTAP_STATS_SLOTS_H

/*
 * Histograms have buckets of powers of two: bucket i counts values <= 2^(FTAP_HIST_MIN_LOG2 + i) that fit no
 * lower one, so that a Prometheus `le` of exactly that edge is true. In nanoseconds 2^10 .. 2^34 is 1 us ..
 * 17 s, the range of a run queue. After the buckets come one for everything larger and the sum of the values.
 */
#define FTAP_HIST_MIN_LOG2 10
#define FTAP_HIST_BUCKETS 25
#define FTAP_HIST_SUM (FTAP_HIST_BUCKETS + 1)

/*
 * The bucket of a value in slot units (nanoseconds for seconds): the lowest whose inclusive upper edge the
 * value does not exceed, or FTAP_HIST_BUCKETS. Branches instead of a count-leading-zeros instruction, which
 * BPF does not have.
 */
static inline __attribute__((always_inline)) unsigned int ftap_log2_bucket(unsigned long long value) {
  unsigned int log2 = 0;
  if (value <= 1ULL << FTAP_HIST_MIN_LOG2) return 0;
  value--; /* 2^k itself belongs under the edge 2^k, so look at the bits of value - 1 */
  if (value >> 32) log2 += 32, value >>= 32;
  if (value >> 16) log2 += 16, value >>= 16;
  if (value >> 8) log2 += 8, value >>= 8;
  if (value >> 4) log2 += 4, value >>= 4;
  if (value >> 2) log2 += 2, value >>= 2;
  if (value >> 1) log2 += 1;
  log2 = log2 + 1 - FTAP_HIST_MIN_LOG2;
  return log2 < FTAP_HIST_BUCKETS ? log2 : FTAP_HIST_BUCKETS;
}

/*
 * Coarse histograms, of which there are thousands, have every second of these edges: bucket i counts values <= 2^(12 + 2 i),
 * 4 us .. 268 ms, and the last one everything larger. They fill the rest of a cache line (bpf/abi/usage.h).
 */
#define FTAP_COARSE_FIRST 2
#define FTAP_COARSE_EDGES 9
#define FTAP_COARSE_LAST (FTAP_COARSE_FIRST + 2 * (FTAP_COARSE_EDGES - 1))

/* The bucket of a value, at most FTAP_COARSE_EDGES. */
static inline __attribute__((always_inline)) unsigned int ftap_coarse_bucket(unsigned long long value) {
  unsigned int log4 = 1;
  if (value <= 1ULL << (FTAP_HIST_MIN_LOG2 + FTAP_COARSE_FIRST)) return 0;
  value = (value - 1) >> (FTAP_HIST_MIN_LOG2 + FTAP_COARSE_FIRST);
  if (value >> (2 * (FTAP_COARSE_EDGES - 1))) return FTAP_COARSE_EDGES;
  if (value >> 8) log4 += 4, value >>= 8;
  if (value >> 4) log4 += 2, value >>= 4;
  if (value >> 2) log4 += 1;
  return log4;
}

#define FTAP_WIDTH_COUNTER 1
#define FTAP_WIDTH_HISTOGRAM (FTAP_HIST_BUCKETS + 2)

#define FTAP_STAT(id, family, label, kind, unit, help) \
  FTAP_SLOT_##id, FTAP_SLOT_##id##_LAST = FTAP_SLOT_##id + FTAP_WIDTH_##kind - 1,
enum ftap_slot {
#include "kernel.def"
#include "scheds.def"
  FTAP_NR_SLOTS
};
#undef FTAP_STAT

/* Which scheduler put the task on the CPU: the kernel's own classes, or the sched_ext scheduler that runs. */
enum ftap_class { FTAP_CLASS_KERNEL, FTAP_CLASS_EXT, FTAP_NR_CLASSES };

#define FTAP_CACHE_LINE 64

/*
 * One CPU's counters. Aligned so that no two CPUs share a cache line: the adds are atomic only towards the
 * reset, which userspace makes with an atomic exchange, and towards interrupts on the same CPU.
 */
struct ftap_block {
  unsigned long long slot[FTAP_NR_CLASSES][FTAP_NR_SLOTS];
} __attribute__((aligned(FTAP_CACHE_LINE)));

#endif /* FTAP_STATS_SLOTS_H */
