#include "identity/root_dir.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::identity {
namespace {

using flowtap::test::FileTree;

RootDir open_root(const FileTree& tree) {
  auto root = RootDir::open(tree.root());
  EXPECT_TRUE(root) << root.error().what;
  return std::move(*root);
}

TEST(RootDir, ReadsBelowIt) {
  FileTree tree;
  tree.file("a/b", "text");
  const RootDir root = open_root(tree);
  EXPECT_EQ(root.read("a/b", 100).value(), "text");
  EXPECT_EQ(root.read("/a/b", 100).value(), "text") << "its own absolute path";
  EXPECT_EQ(root.below("a")->read("b", 100).value(), "text");
  EXPECT_EQ(root.read("a/b", 4).value(), "text");
  EXPECT_FALSE(root.read("a/b", 3)) << "not cut";
  EXPECT_EQ(root.read("a/none", 9).error().code, ENOENT);
  EXPECT_TRUE(root.has_file("a/b"));
  EXPECT_FALSE(root.has_file("a"));
}

TEST(RootDir, LinksAndDotsEndWithinIt) {
  FileTree outside;
  outside.file("secret", "outside");
  FileTree tree;
  tree.file("run/x", "inside").file("deep/d/f", "f");
  std::filesystem::create_symlink("/run", tree.root() + "/absolute");  // like /var/run
  std::filesystem::create_symlink(outside.root(), tree.root() + "/escape");
  std::filesystem::create_symlink("../../../../../../.." + outside.root(), tree.root() + "/deep/climb");
  const RootDir root = open_root(tree);
  EXPECT_EQ(root.read("absolute/x", 100).value(), "inside") << "as the node itself sees it";
  EXPECT_FALSE(root.read("escape/secret", 100));
  EXPECT_FALSE(root.read("deep/climb/secret", 100));
  EXPECT_FALSE(root.read("../" + std::filesystem::path(outside.root()).filename().string() + "/secret", 100));
  EXPECT_EQ(root.read("deep/../../../run/x", 100).value(), "inside");
  EXPECT_FALSE(root.below("deep")->read("../run/x", 100)) << "and each directory is a root of its own";
}

TEST(RootDir, OnlyPlainFilesAndNotTheLinkItself) {
  FileTree tree;
  tree.file("file", "x");
  std::filesystem::create_symlink("file", tree.root() + "/link");
  ASSERT_EQ(::mkfifo((tree.root() + "/fifo").c_str(), 0600), 0);
  const RootDir root = open_root(tree);
  EXPECT_FALSE(root.read("link", 100));
  EXPECT_FALSE(root.has_file("link"));
  EXPECT_EQ(root.link("link").value(), "file");
  EXPECT_FALSE(root.link("file"));
  EXPECT_FALSE(root.read("fifo", 100)) << "and without waiting for a writer";
  EXPECT_FALSE(root.read(".", 100));
}

TEST(RootDir, ListsWithABound) {
  FileTree tree;
  tree.file("d/a", "").file("d/b", "").file("d/c/x", "");
  const RootDir root = open_root(tree);
  auto names = root.list("d", 3).value();
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(root.list("d", 2));
  EXPECT_EQ(root.list("none", 2).error().code, ENOENT);
}

TEST(FileName, IsOneNameAndNoWayOut) {
  for (const char* name : {"a", "0", "web_1.x-y", "..."}) EXPECT_TRUE(is_file_name(name)) << name;
  for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                  std::string("a b"), std::string("a\0b", 3), std::string(256, 'a')})
    EXPECT_FALSE(is_file_name(name)) << name;
}

}  // namespace
}  // namespace flowtap::identity
