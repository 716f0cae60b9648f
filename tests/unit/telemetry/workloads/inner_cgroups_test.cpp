// Cgroups below a workload's own, as runtimes and systemd make them: to whom their processes belong, and which is the
// first.
#include "telemetry/workloads/files/inner_cgroups.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "telemetry/workloads/files/cgroup_files.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {
namespace {

using enum CgroupGauge;
using test::FileTree;

class Inner : public testing::Test {
 public:
  Inner() { tree.file("cgroup.controllers", ""); }
  Inner& procs(const std::string& path, const std::string& text) {
    tree.file(path + "/cpu.stat", "user_usec 7\n").file(path + "/cgroup.procs", text);
    return *this;
  }
  // The number of processes and the first of them; -1 where absent.
  std::pair<double, double> read(OpenCgroup& cgroup) {
    CgroupValues values;
    EXPECT_TRUE(cgroup.read(values, unread));
    return {values[kProcesses].value_or(-1), values[kFirstPid].value_or(-1)};
  }
  std::pair<double, double> read(const std::string& path) {
    const auto cgroup = source().open(path, unread);
    return cgroup ? read(*cgroup) : std::pair<double, double>{-2, -2};
  }
  CgroupFileSource& source() {
    if (!source_) source_ = CgroupFileSource::open_below(tree.root());
    return *source_;
  }
  using Told = std::pair<double, double>;

  FileTree tree;
  std::uint64_t unread = 0;

 private:
  std::unique_ptr<CgroupFileSource> source_;
};

TEST_F(Inner, WhereThereAreNoneItsOwnCount) {
  procs("a", "0\n71\n72\n");
  EXPECT_EQ(read("/a"), Told(3, 71));
}

TEST_F(Inner, CrunsContainerIsInOne) {
  procs("libpod-1.scope", "").procs("libpod-1.scope/container", "81\n82\n");
  EXPECT_EQ(read("/libpod-1.scope"), Told(2, 81));
  EXPECT_EQ(unread, 0U);
}

TEST_F(Inner, SystemdsServicesAreItsAndTheFirstIsTheLowest) {
  procs("a", "")
      .procs("a/system.slice", "")
      .procs("a/system.slice/web.service", "95\n96\n")
      .procs("a/init.scope", "90\n")
      .procs("a/user.slice", "97\n");
  EXPECT_EQ(read("/a"), Told(4, 90));
}

TEST_F(Inner, ItsOwnProcessIsTheFirst) {
  procs("a", "73\n").procs("a/inner", "12\n13\n");
  EXPECT_EQ(read("/a"), Told(3, 73));
}

TEST_F(Inner, WhatComesAndGoesIsSeen) {
  procs("a", "").procs("a/one", "81\n");
  const auto cgroup = source().open("/a", unread);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read(*cgroup), Told(1, 81));
  procs("a/one", "83\n");
  EXPECT_EQ(read(*cgroup), Told(1, 83)) << "each time anew";
  // The only one goes and another comes: nobody waits for the next look.
  std::filesystem::remove_all(tree.root() + "/a/one");
  procs("a/two", "84\n85\n");
  EXPECT_EQ(read(*cgroup), Told(2, 84));
  // It stays and is empty.
  procs("a/two", "").procs("a/three", "86\n");
  EXPECT_EQ(read(*cgroup), Told(1, 86));
  std::filesystem::remove_all(tree.root() + "/a/two");
  std::filesystem::remove_all(tree.root() + "/a/three");
  EXPECT_EQ(read(*cgroup), Told(0, -1));
  EXPECT_EQ(unread, 0U);
}

TEST_F(Inner, OneMoreIsSeenAtTheNextLook) {
  procs("a", "").procs("a/one", "81\n");
  const auto cgroup = source().open("/a", unread);
  EXPECT_EQ(read(*cgroup), Told(1, 81));
  procs("a/two", "82\n");
  Told told;
  for (int i = 0; i < 7 && told != Told(2, 81); ++i) told = read(*cgroup);
  EXPECT_EQ(told, Told(2, 81));
}

TEST_F(Inner, TooManyOrTooDeepHaveNoCount) {
  procs("many", "");
  for (std::size_t i = 0; i <= InnerCgroups::kMost; ++i) procs("many/" + std::to_string(i), "99\n");
  EXPECT_EQ(read("/many"), Told(-1, 99));
  EXPECT_EQ(unread, 1U);
  std::string deep = "deep";
  procs(deep, "").procs(deep + "/one", "98\n");
  for (std::size_t i = 0; i <= InnerCgroups::kDeepest; ++i) procs(deep += "/d", "99\n");
  EXPECT_EQ(read("/deep"), Told(-1, 98));
  EXPECT_EQ(unread, 2U);
}

TEST_F(Inner, AFileThatLiesHasNoCount) {
  procs("a", "").procs("a/one", "81\n").procs("a/two", "eighty\n");
  EXPECT_EQ(read("/a"), Told(-1, 81));
  EXPECT_EQ(unread, 1U);
}

TEST_F(Inner, NoLinkLeadsOut) {
  FileTree outside;
  outside.file("cgroup.procs", "1\n").file("below/cgroup.procs", "2\n");
  procs("a", "").procs("a/one", "81\n");
  std::filesystem::create_directory_symlink(outside.root(), tree.root() + "/a/link");
  EXPECT_EQ(read("/a"), Told(1, 81));
}

}  // namespace
}  // namespace flowtap::telemetry
