#include "stream/sources/listed_executables.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using Paths = std::vector<std::string>;

class ListedExecutablesTest : public testing::Test {
 protected:
  // The kernel says nothing of files of this size.
  static constexpr off_t kUnseen = 13;

  void write(const std::string& name, std::size_t size) const {
    std::ofstream(dir_ / name) << std::string(size, 'x');
  }
  [[nodiscard]] std::uint64_t inode(const std::string& name) const {
    struct stat status{};
    EXPECT_EQ(::stat((dir_ / name).c_str(), &status), 0);
    return status.st_ino;
  }
  [[nodiscard]] std::vector<std::uint64_t> known() const {
    std::vector<std::uint64_t> inodes;
    for (const kernel::LogExecutable& executable : listed_.known()) inodes.push_back(executable.inode);
    return inodes;
  }

  const test::TempDir dir_;
  ListedExecutables listed_{*PathWalk::open(dir_ / "."), [](int fd) -> Result<kernel::OpenFile> {
                              struct stat status{};
                              EXPECT_EQ(::fstat(fd, &status), 0);
                              if (status.st_size == kUnseen) return fail("not seen");
                              kernel::OpenFile file;
                              file.inode = status.st_ino;
                              return file;
                            }};
};

TEST_F(ListedExecutablesTest, OneThatIsNotSeenHidesNoOther) {
  write("a", 1);
  write("b", kUnseen);
  write("c", 1);
  listed_.set({"/a", "/b", "/c", "/d"});
  EXPECT_TRUE(listed_.find());
  EXPECT_EQ(known(), (std::vector{inode("a"), inode("c")}));
  EXPECT_EQ(listed_.not_found(), Paths{"/d"});
  EXPECT_EQ(listed_.refused(), (std::vector<api::RefusedSource>{{"/b", "not seen"}}));
  EXPECT_FALSE(listed_.find());

  write("b", 1);
  EXPECT_TRUE(listed_.find());
  EXPECT_EQ(known(), (std::vector{inode("a"), inode("b"), inode("c")}));
  EXPECT_EQ(listed_.not_found(), (Paths{"/d"}));
}

TEST_F(ListedExecutablesTest, FilesThatAreReplacedAndListsThatChange) {
  write("a", 1);
  listed_.set({"/a"});
  EXPECT_TRUE(listed_.find());
  write("new", 2);
  std::filesystem::rename(dir_ / "new", dir_ / "a");
  EXPECT_TRUE(listed_.find());
  EXPECT_EQ(known(), std::vector{inode("a")});
  std::filesystem::remove(dir_ / "a");
  EXPECT_TRUE(listed_.find());
  EXPECT_EQ(listed_.not_found(), Paths{"/a"});
  listed_.set({});
  EXPECT_TRUE(listed_.empty());
  EXPECT_FALSE(listed_.find());
}

}  // namespace
}  // namespace flowtap
