#include "telemetry/node/filesystems.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::telemetry {
namespace {

using test::FileTree;

std::vector<std::string> points(const Mounts& mounts) {
  std::vector<std::string> all;
  for (const Mount& mount : mounts.all) all.push_back(mount.device + " on " + mount.point);
  return all;
}

TEST(Mounts, AllPartsOfALine) {
  const Mounts mounts = parse_mounts(
      "36 35 98:7 /mnt1 /mnt/a\\040b\\011c\\134d rw,noatime master:1 shared:2 - ext3 /dev/my\\040root "
      "rw,errors=continue\n"
      "37 36 0:21 / /proc rw,relatime - proc  rw\n");
  EXPECT_EQ(mounts.unread, 0U);
  ASSERT_EQ(mounts.all.size(), 2U);
  const Mount& mount = mounts.all[0];
  EXPECT_EQ(mount.id, 36U);
  EXPECT_EQ(mount.parent, 35U);
  EXPECT_EQ(mount.device_number, makedev(98, 7));
  EXPECT_EQ(mount.point, "/mnt/a b\tc\\d");
  EXPECT_EQ(mount.type, "ext3");
  EXPECT_EQ(mount.device, "/dev/my root");
  EXPECT_EQ(mounts.all[1].device, "none") << "mounted without a name";
}

TEST(Mounts, EscapesThatAreNoneStayAsTheyAre) {
  const Mounts mounts = parse_mounts("1 2 0:1 / /\\04\\999\\0401\\777\\ rw - t d rw\n");
  ASSERT_EQ(mounts.all.size(), 1U);
  EXPECT_EQ(mounts.all[0].point, "/\\04\\999 1\\777\\");
}

TEST(Mounts, OnlyTheOneOnTop) {
  EXPECT_EQ(points(parse_mounts("1 0 0:1 / /a rw - tmpfs below rw\n2 0 0:2 / /b rw - tmpfs other rw\n"
                                "3 1 0:3 / /a rw - tmpfs above rw\n")),
            (std::vector<std::string>{"above on /a", "other on /b"}));
  EXPECT_EQ(points(parse_mounts("3 1 0:3 / /a rw - tmpfs above rw\n1 0 0:1 / /a rw - tmpfs below rw\n")),
            (std::vector<std::string>{"above on /a"}));
}

TEST(Mounts, LinesThatAreNoneAreAbsentAndCountedAndTheOthersGoOn) {
  const Mounts mounts = parse_mounts(
      "x 1 0:1 / /a rw - t d rw\n1 x 0:1 / /a rw - t d rw\n1 2 0 / /a rw - t d rw\n1 2 0:x / /a rw - t d rw\n"
      "1 2 0:1 / a rw - t d rw\n1 2 0:1 / /a rw\n1 2 0:1 / /a rw -\n1 2 4294967296:1 / /a rw - t d rw\n"
      "1 2 0:1 / /a\\000b rw - t d rw\n\n1 2 0:1 / /good rw - t d");
  EXPECT_EQ(mounts.unread, 9U);
  EXPECT_EQ(points(mounts), (std::vector<std::string>{"d on /good"}));
}

TEST(Mounts, WhatIsStorage) {
  const auto storage = [](std::string type, std::string point) {
    return is_storage({.point = std::move(point), .type = std::move(type), .device = {}, .options = {}});
  };
  for (const auto* point : {"/", "/home", "/device", "/dev2/x", "/run", "/run/credentials", "/var/lib/docker",
                            "/var/lib/kubelet/pods/x"})
    EXPECT_TRUE(storage("ext4", point)) << point;
  for (const auto* point : {"/dev", "/dev/shm", "/proc", "/proc/sys/x", "/sys/fs", "/run/credentials/unit",
                            "/var/lib/docker/overlay2/x/merged", "/var/lib/containers/storage/overlay"})
    EXPECT_FALSE(storage("ext4", point)) << point;
  for (const auto* type : {"xfs", "tmpfs", "nfs4", "btrfs", "fuse.sshfs", "zfs"})
    EXPECT_TRUE(storage(type, "/a")) << type;
  for (const auto* type :
       {"autofs", "cgroup", "cgroup2", "overlay", "nsfs", "squashfs", "proc", "tracefs", "bpf"})
    EXPECT_FALSE(storage(type, "/a")) << type;
}

// A node whose mounts lie in a folder of the test.
class Filesystems : public testing::Test {
 protected:
  std::string line(const std::string& point, const std::string& type = "ext4",
                   unsigned minor_more = 0) const {
    struct stat file{};
    EXPECT_EQ(::stat(tree_.root().c_str(), &file), 0);
    return fmt::format("1 2 {}:{} / {} rw - {} /dev/disk rw\n", major(file.st_dev),
                       minor(file.st_dev) + minor_more, point, type);
  }
  Collected after(const std::string& mountinfo) {
    tree_.file("proc/1/mountinfo", mountinfo);
    return collected_by(collector_);
  }

  FileTree tree_;
  FilesystemCollector collector_{tree_.root() + "/proc", tree_.root() + "/"};
};

TEST_F(Filesystems, NumbersOfWhatIsBelowTheHostRoot) {
  tree_.file("a b/file", "");
  const Collected read = after(line("/a\\040b") + line("/dev") + line("/none", "proc"));
  EXPECT_EQ(read.unread, 0U);
  const auto all = by_name(read);
  EXPECT_EQ(all.size(), 7U);
  struct statvfs numbers{};
  ASSERT_EQ(::statvfs(tree_.root().c_str(), &numbers), 0);
  const std::string labels = "{device=/dev/disk,mountpoint=/a b,fstype=ext4}";
  EXPECT_EQ(all.at("filesystem_size_bytes" + labels),
            static_cast<double>(numbers.f_blocks * numbers.f_frsize));
  EXPECT_EQ(all.at("filesystem_files" + labels), static_cast<double>(numbers.f_files));
  EXPECT_EQ(all.at("filesystem_readonly" + labels), 0);
  EXPECT_EQ(all.at("filesystem_device_error" + labels), 0);
  const double size = all.at("filesystem_size_bytes" + labels);
  const double free = all.at("filesystem_free_bytes" + labels);
  const double available = all.at("filesystem_avail_bytes" + labels);
  EXPECT_GT(size, free);
  EXPECT_GE(free, available);
  EXPECT_GT(available, 0);
  EXPECT_GT(all.at("filesystem_files_free" + labels), 0);
}

TEST_F(Filesystems, WhatCannotBeAskedHasAnErrorAndNoNumbers) {
  tree_.file("other/file", "").file("volume/file", "");
  const Collected read = after(line("/gone") + line("/other", "ext4", 1) + line("/volume", "btrfs", 1));
  EXPECT_EQ(read.unread, 2U);
  const auto all = by_name(read);
  EXPECT_EQ(all.size(), 1 + 1 + 7U);
  EXPECT_EQ(all.at("filesystem_device_error{device=/dev/disk,mountpoint=/gone,fstype=ext4}"), 1);
  EXPECT_EQ(all.at("filesystem_device_error{device=/dev/disk,mountpoint=/other,fstype=ext4}"), 1)
      << "another file system lies there";
  EXPECT_EQ(all.at("filesystem_device_error{device=/dev/disk,mountpoint=/volume,fstype=btrfs}"), 0);
}

TEST_F(Filesystems, NamesFromOutsideAreMadeHarmless) {
  const auto all = by_name(after(line("/a\\012b\xff") + line("/a\\134nb\\134xff")));
  EXPECT_EQ(all.size(), 1U);
  EXPECT_TRUE(all.contains("filesystem_device_error{device=/dev/disk,mountpoint=/a\\nb\\xff,fstype=ext4}"));
}

TEST_F(Filesystems, AFileThatIsNotThereOrCannotBeReadIsCounted) {
  EXPECT_EQ(collected_by(collector_).unread, 1U);
  tree_.file("proc/1/mountinfo/not_a_file", "");
  EXPECT_EQ(collected_by(collector_).unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
