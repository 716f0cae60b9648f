#include "telemetry/node/disks.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

TEST(Disks, WholeDisksAndNothingElse) {
  for (const auto* disk : {"sda", "vdb", "nvme0n1", "nvme10n12", "dm-0", "md127", "mmcblk0", "sr0", "rbd0",
                           "sdaa1", "nvme0p1", "nvmen1p1", "nvme0c1n1p1", "ramdisk", "xsda1"})
    EXPECT_TRUE(is_whole_disk(disk)) << disk;
  for (const auto* other :
       {"ram0", "zram1", "loop12", "fd0", "sda1", "hdb2", "vda15", "xvdf1", "nvme0n1p1", "nvme10n12p3"})
    EXPECT_FALSE(is_whole_disk(other)) << other;
}

// From a virtual machine, with numbers in place of zeros.
TEST(Disks, AllNumbersOfAKernelOfToday) {
  FileTree tree;
  tree.file("diskstats",
            "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
            " 254       0 vda 824902 38930 27995794 4028593 193271 120239 133336560 586361 3 221368 4645764 "
            "96841 32 "
            "109450728 29905 17129 904\n"
            " 254       1 vda1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n");
  DiskCollector collector(tree.root());
  const Collected read = collected_by(collector);
  EXPECT_EQ(read.unread, 0U);
  const std::map<std::string, double> expected{{"disk_reads_completed_total{device=vda}", 824902},
                                               {"disk_reads_merged_total{device=vda}", 38930},
                                               {"disk_read_bytes_total{device=vda}", 27995794.0 * 512},
                                               {"disk_read_time_seconds_total{device=vda}", 4028.593},
                                               {"disk_writes_completed_total{device=vda}", 193271},
                                               {"disk_writes_merged_total{device=vda}", 120239},
                                               {"disk_written_bytes_total{device=vda}", 133336560.0 * 512},
                                               {"disk_write_time_seconds_total{device=vda}", 586.361},
                                               {"disk_io_now{device=vda}", 3},
                                               {"disk_io_time_seconds_total{device=vda}", 221.368},
                                               {"disk_io_time_weighted_seconds_total{device=vda}", 4645.764},
                                               {"disk_discards_completed_total{device=vda}", 96841},
                                               {"disk_discards_merged_total{device=vda}", 32},
                                               {"disk_discarded_bytes_total{device=vda}", 109450728.0 * 512},
                                               {"disk_discard_time_seconds_total{device=vda}", 29.905},
                                               {"disk_flush_requests_total{device=vda}", 17129},
                                               {"disk_flush_requests_time_seconds_total{device=vda}", 0.904}};
  EXPECT_EQ(by_name(read), expected);
}

TEST(Disks, OlderKernelsHaveFewerNumbersAndNewerOnesMayHaveMore) {
  Collected out;
  parse_diskstats(
      "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
      "8 32 sdc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 new\n",
      out);
  EXPECT_EQ(out.unread, 0U);
  const auto all = by_name(out);
  EXPECT_EQ(all.size(), 11 + 15 + 17U);
  EXPECT_FALSE(all.contains("disk_discards_completed_total{device=sda}"));
  EXPECT_FALSE(all.contains("disk_flush_requests_total{device=sdb}"));
}

TEST(Disks, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  Collected out;
  parse_diskstats(
      "8 0 sda 1 2 3 4 5 6 7 8 9 10\n8 0\nx 0 sdb 1 2 3 4 5 6 7 8 9 10 11\n8 0 sdc 1 2 3 4 5 6 7 8 9 10 x "
      "12\n"
      "8 0 sdd -1 2 3 4 5 6 7 8 9 10 11\n\n8 0 sde 1 2 3 4 5 6 7 8 9 10 11\n8 0 sde 2 2 3 4 5 6 7 8 9 10 11\n"
      "8 0 s\x1b\xff 1 2 3 4 5 6 7 8 9 10 11",
      out);
  EXPECT_EQ(out.unread, 6U);
  const auto all = by_name(out);
  EXPECT_EQ(all.size(), 2 * 11U);
  EXPECT_EQ(all.at("disk_reads_completed_total{device=sde}"), 1);
  EXPECT_TRUE(all.contains("disk_reads_completed_total{device=s\\x1b\\xff}"));
}

TEST(Disks, AKernelWithoutDisksHasNothingToCount) {
  FileTree tree;
  DiskCollector collector(tree.root());
  EXPECT_EQ(collected_by(collector).unread, 0U);
  tree.file("diskstats/not_a_file", "");
  EXPECT_EQ(collected_by(collector).unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
