// Directories of the test's own as containers' layers, and what `du` would say about them.
#include "telemetry/workloads/layer_collector.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::FileTree;

std::uint64_t blocks(const std::string& path) {
  struct stat file{};
  EXPECT_EQ(::lstat(path.c_str(), &file), 0) << path;
  return static_cast<std::uint64_t>(file.st_blocks) * 512;
}

DirectorySize whole(const std::string& path) {
  DirectoryWalk walk(path);
  EXPECT_TRUE(walk.go_on(Clock::now() + 1h));
  return walk.size().value();
}

TEST(DirectoryWalk, CountsEachFileOnceAndFollowsNoLink) {
  FileTree outside;
  outside.file("large", std::string(1'000'000, 'x'));
  FileTree tree;
  tree.file("a", std::string(10'000, 'x')).file("deep/down/b", std::string(100'000, 'x'));
  std::filesystem::create_hard_link(tree.root() + "/a", tree.root() + "/deep/again");
  std::filesystem::create_directory_symlink(outside.root(), tree.root() + "/link");
  std::uint64_t bytes = 0;
  for (const char* path : {"/a", "/deep", "/deep/down", "/deep/down/b", "/link"})
    bytes += blocks(tree.root() + path);
  EXPECT_EQ(whole(tree.root()), (DirectorySize{.bytes = bytes, .files = 5}));
  EXPECT_GE(bytes, 110'000U);
}

TEST(DirectoryWalk, IsTheSameInSlices) {
  FileTree tree;
  for (int i = 0; i < 300; ++i) tree.file(std::to_string(i % 7) + "/" + std::to_string(i), "x");
  DirectoryWalk walk(tree.root());
  int slices = 1;
  while (!walk.go_on(Clock::now() - 1s)) ++slices;
  EXPECT_GT(slices, 5);
  EXPECT_EQ(walk.size(), whole(tree.root()));
  EXPECT_EQ(walk.size()->files, 307U);
}

TEST(DirectoryWalk, WhatCannotBeLookedThroughIsAbsent) {
  DirectoryWalk none("/nonexistent/path");
  EXPECT_TRUE(none.go_on(Clock::now() + 1s));
  EXPECT_FALSE(none.size());
  FileTree tree;
  std::string deep;
  for (std::size_t i = 0; i <= DirectoryWalk::kDeepest; ++i) deep += "d/";
  tree.file(deep + "file", "");
  DirectoryWalk walk(tree.root());
  EXPECT_TRUE(walk.go_on(Clock::now() + 1h));
  EXPECT_FALSE(walk.size());
}

TEST(UpperDirectory, IsOfTheRootAlone) {
  const std::string other = "31 30 0:40 / /proc rw - proc proc rw\n";
  EXPECT_EQ(
      upper_directory(other + "30 20 0:39 / / rw,relatime - overlay overlay "
                              "rw,lowerdir=/l/1:/l/2,upperdir=/var/lib/docker/a\\040b/diff,workdir=/w\n"),
      "/var/lib/docker/a b/diff");
  EXPECT_EQ(upper_directory("30 20 0:39 / / ro - overlay overlay ro,lowerdir=/l/1:/l/2\n"), "");
  EXPECT_EQ(upper_directory("30 20 8:1 / / rw - ext4 /dev/sda1 rw,upperdir=/x\n"), "");
  EXPECT_EQ(upper_directory("30 20 0:39 / /data rw - overlay overlay rw,upperdir=/x\n"), "");
  EXPECT_EQ(upper_directory("30 20 0:39 / / rw - overlay overlay rw,upperdir=relative\n"), "");
  EXPECT_EQ(upper_directory("30 20 0:39 / / rw - overlay overlay rw,upperdir=/etc\n"), "")
      << "a root of its own";
  EXPECT_EQ(upper_directory("30 20 0:39 / / rw - overlay overlay rw,upperdir=/var/lib/docker/../../../etc\n"),
            "");
  EXPECT_EQ(upper_directory(""), "");
}

TEST(UpperDirectory, MayBeWhereTheRuntimesAreConfigured) {
  const auto upper = [](const std::string& path) {
    const std::vector<std::string> configured{"/data/docker", "/srv/containers/", "/"};
    return upper_directory("30 20 0:39 / / rw - overlay overlay rw,upperdir=" + path + "\n", configured);
  };
  for (const char* path :
       {"/data/docker/overlay2/1/diff", "/srv/containers/overlay/1/diff", "/var/lib/docker/overlay2/1/diff"})
    EXPECT_EQ(upper(path), path);
  for (const char* path : {"/data/dockers/1", "/data/docker", "/data", "/etc"}) EXPECT_EQ(upper(path), "");
}

struct Node {
  explicit Node() {
    proc.file(
        "70/mountinfo",
        "30 20 0:39 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/upper,workdir=/w\n");
    host.file("var/lib/docker/upper/a", "x");
  }
  // Bytes and files; absent where nothing is told.
  std::optional<DirectorySize> look(Clock::time_point now) {
    Collected out;
    collector.collect(out, now);
    unread += out.unread;
    if (out.series.empty()) return std::nullopt;
    EXPECT_EQ(out.series.size(), 2U);
    return DirectorySize{.bytes = std::get<std::uint64_t>(out.series.at(0).value),
                         .files = std::get<std::uint64_t>(out.series.at(1).value)};
  }

  const WorkloadName name{
      .kind = WorkloadKind::kPod, .ns = "n", .pod = "p", .container = "c", .workload = {}};
  FileTree proc;
  FileTree host;
  std::shared_ptr<ProcessBoard> board = std::make_shared<ProcessBoard>();
  LayerCollector collector{host.root(), proc.root(), board};
  std::uint64_t unread = 0;
};

TEST(LayerCollector, LooksOnceAMinuteAndKeepsWhatItSaw) {
  Node node;
  const auto begin = Clock::now();
  EXPECT_FALSE(node.look(begin));
  node.board->post({{node.name, 70}});
  EXPECT_EQ(node.look(begin)->files, 1U);
  node.host.file("var/lib/docker/upper/b", "x");
  EXPECT_EQ(node.look(begin + 59s)->files, 1U);
  EXPECT_EQ(node.look(begin + 61s)->files, 2U);
  EXPECT_EQ(node.look(begin + 62s), whole(node.host.root() + "/var/lib/docker/upper"));
  node.board->post({});
  EXPECT_FALSE(node.look(begin + 63s));
  EXPECT_EQ(node.unread, 0U);
}

TEST(LayerCollector, KnowsTheConfiguredStorage) {
  Node node;
  node.proc.file("74/mountinfo", "30 20 0:39 / / rw - overlay overlay rw,upperdir=/data/upper\n");
  node.host.file("data/upper/a", "x");
  node.board->post({{node.name, 74}});
  EXPECT_FALSE(node.look(Clock::now()));
  LayerCollector configured{node.host.root(), node.proc.root(), node.board, {"/data"}};
  Collected out;
  configured.collect(out, Clock::now());
  EXPECT_EQ(out.series.size(), 2U);
}

TEST(LayerCollector, WhoHasNoLayerHasNoneAndALayerThatIsNotThereIsCounted) {
  Node node;
  node.proc.file("71/mountinfo", "30 20 8:1 / / rw - ext4 /dev/sda1 rw\n")
      .file("72/mountinfo", "30 20 0:39 / / rw - overlay overlay rw,upperdir=/var/lib/docker/nowhere\n");
  const auto begin = Clock::now();
  node.board->post({{node.name, 71}});
  EXPECT_FALSE(node.look(begin));
  node.board->post({{node.name, 73}});
  EXPECT_FALSE(node.look(begin + 61s)) << "its process has ended";
  EXPECT_EQ(node.unread, 0U);
  node.board->post({{node.name, 72}});
  EXPECT_FALSE(node.look(begin + 122s));
  EXPECT_EQ(node.unread, 1U);
}

}  // namespace
}  // namespace flowtap::telemetry
