#include "telemetry/workloads/files/block_names.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

TEST(BlockNames, AsTheLinksOfSysfsSay) {
  test::FileTree tree;
  const std::string links = tree.root() + "/dev/block/";
  std::filesystem::create_directories(links);
  std::filesystem::create_symlink("../../devices/pci0/block/sda", links + "8:0");
  std::filesystem::create_symlink("../../devices/block/cciss!c0d0", links + "104:0");
  BlockNames names(tree.root());
  EXPECT_EQ(names.name({8, 0}), "sda");
  EXPECT_EQ(names.name({104, 0}), "cciss/c0d0");
  EXPECT_EQ(names.name({8, 16}), "8:16") << "gone";
  std::filesystem::create_symlink("../../devices/pci0/block/sdb", links + "8:16");
  EXPECT_EQ(names.name({8, 16}), "8:16");
  names.refresh();
  EXPECT_EQ(names.name({8, 16}), "sdb");
}

}  // namespace
}  // namespace flowtap::telemetry
