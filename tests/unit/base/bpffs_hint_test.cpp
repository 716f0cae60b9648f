// Each hint about a BPF file system can be followed where it is given.
#include "base/node/bpffs_hint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

const std::string kGood = ", so that capture goes on while flowtapd restarts";

TEST(BpffsHint, IsTheNextThingThatCanBeDoneThere) {
  const test::TempDir dir;
  fs::create_directory(dir / "bpf");
  std::ofstream(dir / "file") << "x";
  EXPECT_EQ(bpffs_hint(dir / "bpf"), "mount -t bpf bpf " + (dir / "bpf") + kGood);
  EXPECT_EQ(bpffs_hint(dir / "none/bpf"),
            "mkdir -p " + (dir / "none/bpf") + " && mount -t bpf bpf " + (dir / "none/bpf") + kGood);
  EXPECT_EQ(bpffs_hint(dir / "file"), "move away what stands at " + (dir / "file") + " (mkdir " +
                                          (dir / "file") + " && mount -t bpf bpf " + (dir / "file") +
                                          " then), or name another directory in stream.bpffs" + kGood);
  EXPECT_EQ(
      bpffs_hint(dir / "file/bpf"),
      "move away the file that stands in the place of a directory above it, or name another directory in "
      "stream.bpffs" +
          kGood);
}

TEST(BpffsHint, ALinkThatLeadsToNothingIsCalledOne) {
  const test::TempDir dir;
  fs::create_symlink("/nonexistent", dir / "bpf");
  const Error error = bpffs_error("no BPF file system is there", dir / "bpf");
  EXPECT_EQ(error.what,
            "no BPF file system is there: a symbolic link stands there that leads to nothing (/nonexistent)");
  EXPECT_EQ(error.hint, "remove the link, make what it leads to, or name another directory in stream.bpffs");
  EXPECT_EQ(bpffs_hint(dir / "bpf"), error.hint);
  EXPECT_NE(error.code, 0);
  EXPECT_EQ(bpffs_error("no BPF file system is there", dir / "none").what, "no BPF file system is there");
}

}  // namespace
}  // namespace flowtap
