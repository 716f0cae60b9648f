#include "telemetry/node/memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

constexpr std::string_view kMeminfo = R"(MemTotal:       24684096 kB
MemFree:        15862408 kB
MemAvailable:   22729212 kB
Buffers:           16580 kB
Cached:          7342512 kB
SwapCached:            0 kB
Active:          2517444 kB
Inactive:        5541196 kB
Active(anon):       1680 kB
Inactive(anon):  1224832 kB
Unevictable:       13156 kB
Mlocked:           12192 kB
SwapTotal:             8 kB
SwapFree:              4 kB
Dirty:            139248 kB
Writeback:            12 kB
AnonPages:        712856 kB
Mapped:           583816 kB
Shmem:            526960 kB
KReclaimable:     366580 kB
Slab:             416216 kB
SReclaimable:     366580 kB
SUnreclaim:        49636 kB
KernelStack:        1736 kB
PageTables:         6388 kB
CommitLimit:    12342048 kB
Committed_AS:    2271164 kB
VmallocTotal:   34359738367 kB
VmallocUsed:       14536 kB
HardwareCorrupted:     4 kB
HugePages_Total:       6
HugePages_Free:        5
HugePages_Rsvd:        0
Hugepagesize:       2048 kB
DirectMap1G:    25165824 kB
)";

constexpr std::string_view kVmstat = R"(nr_free_pages 3965602
pgpgin 13997921
pgpgout 66668316
pswpin 3
pswpout 4
pgfault 373493304
pgmajfault 19405
oom_kill 4
oom_kill_something_else 5
)";

TEST(Memory, AllThatHasARow) {
  FileTree tree;
  tree.file("meminfo", kMeminfo).file("vmstat", kVmstat);
  MemoryCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  const std::map<std::string, double> expected{{"memory_total_bytes", 24684096.0 * 1024},
                                               {"memory_free_bytes", 15862408.0 * 1024},
                                               {"memory_available_bytes", 22729212.0 * 1024},
                                               {"memory_buffers_bytes", 16580.0 * 1024},
                                               {"memory_cached_bytes", 7342512.0 * 1024},
                                               {"memory_swap_cached_bytes", 0},
                                               {"memory_active_bytes", 2517444.0 * 1024},
                                               {"memory_inactive_bytes", 5541196.0 * 1024},
                                               {"memory_unevictable_bytes", 13156.0 * 1024},
                                               {"memory_mlocked_bytes", 12192.0 * 1024},
                                               {"memory_swap_total_bytes", 8 * 1024},
                                               {"memory_swap_free_bytes", 4 * 1024},
                                               {"memory_dirty_bytes", 139248.0 * 1024},
                                               {"memory_writeback_bytes", 12 * 1024},
                                               {"memory_anon_pages_bytes", 712856.0 * 1024},
                                               {"memory_mapped_bytes", 583816.0 * 1024},
                                               {"memory_shmem_bytes", 526960.0 * 1024},
                                               {"memory_slab_reclaimable_bytes", 366580.0 * 1024},
                                               {"memory_slab_unreclaimable_bytes", 49636.0 * 1024},
                                               {"memory_kernel_stack_bytes", 1736.0 * 1024},
                                               {"memory_page_tables_bytes", 6388.0 * 1024},
                                               {"memory_commit_limit_bytes", 12342048.0 * 1024},
                                               {"memory_committed_bytes", 2271164.0 * 1024},
                                               {"memory_vmalloc_used_bytes", 14536.0 * 1024},
                                               {"memory_hardware_corrupted_bytes", 4 * 1024},
                                               {"memory_huge_pages", 6},
                                               {"memory_huge_pages_free", 5},
                                               {"memory_huge_page_size_bytes", 2048 * 1024},
                                               {"memory_paged_in_bytes_total", 13997921.0 * 1024},
                                               {"memory_paged_out_bytes_total", 66668316.0 * 1024},
                                               {"memory_swapped_in_pages_total", 3},
                                               {"memory_swapped_out_pages_total", 4},
                                               {"memory_page_faults_total", 373493304},
                                               {"memory_major_page_faults_total", 19405},
                                               {"memory_oom_kills_total", 4}};
  EXPECT_EQ(by_name(read), expected);
}

TEST(Memory, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  Collected out;
  parse_meminfo(
      "MemTotal: x kB\nMemFree: 1\nBuffers: 1 MB\nCached: 18446744073709551615 kB\nDirty: -1 kB\nMapped:\n"
      "HugePages_Total: one\nShmem: 2 kB\nShmem: 3 kB\nNothingKnown: x\nMemAvailable 5 kB",
      out);
  EXPECT_EQ(out.unread, 8U);
  EXPECT_EQ(by_name(out), (std::map<std::string, double>{{"memory_shmem_bytes", 2048}}));
}

TEST(Memory, AKernelWithoutSomeOfItHasNothingToCount) {
  FileTree tree;
  tree.file("meminfo", "MemTotal: 1 kB\n");
  MemoryCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  EXPECT_EQ(read.series.size(), 1U);
}

TEST(Memory, AFileThatCannotBeReadIsCounted) {
  FileTree tree;
  MemoryCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 1U) << "every kernel has meminfo";
  tree.file("meminfo/not_a_file", "").file("vmstat/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 2U);
}

}  // namespace
}  // namespace flowtap::telemetry
