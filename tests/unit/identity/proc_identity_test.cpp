#include "identity/proc_identity.hpp"

#include <gtest/gtest.h>

#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

std::string stat_line(const std::string& comm) {
  return "4711 (" + comm +
         ") S 12 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 99 88 18446744073709551615\n";
}

TEST(ProcStat, CommandsMayHoldAnyBytes) {
  for (const std::string& comm : {std::string("kube-scheduler"), std::string(") S 1 (x"),
                                  std::string("a) (b"), std::string("\n) R 1 2\n"), std::string(")"),
                                  std::string("("), std::string(), std::string("\xff) ) ) ")}) {
    const auto stat = parse_proc_stat(stat_line(comm));
    ASSERT_TRUE(stat) << comm;
    EXPECT_EQ(*stat, (ProcStat{comm, 'S', 12, 123456}));
  }
}

TEST(ProcStat, WhatIsMissingIsAnErrorAndNotZero) {
  const std::string good = stat_line("x");
  for (std::size_t cut = 0; cut < good.find("123456") + 1; ++cut)
    if (const auto stat = parse_proc_stat(good.substr(0, cut))) {
      FAIL() << "read from " << good.substr(0, cut);
    }
  for (const char* bad : {"1 (x) SS 1", "1 x S 1", "1 (x) S a 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 5",
                          "1 (x) S 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 -5", "1 )x( S 2"})
    EXPECT_FALSE(parse_proc_stat(bad)) << bad;
}

TEST(ProcCgroup, OfEveryHierarchyTheOneThatTells) {
  EXPECT_EQ(parse_proc_cgroup(test::golden("proc-cgroup-hybrid.txt")),
            "/kubepods/besteffort/pod82a9c79c-7b82-4530-b485-39aded24b5be/"
            "91f829d8c00710f813b90bd0a28e54b1eda851421bbd5762e53e5bf7f0b9b7e2");
  EXPECT_EQ(parse_proc_cgroup("0::/a/b\n"), "/a/b");
  EXPECT_EQ(parse_proc_cgroup("9:name=systemd:/one/two/three\n0::/v2\n"), "/v2");
  EXPECT_EQ(parse_proc_cgroup("8:pids:/one/two/three\n9:name=systemd:/s\n0::/\n"), "/s")
      << "crun without cgroups, on a hybrid node";
  EXPECT_EQ(parse_proc_cgroup("8:pids:/one\n7:memory:/one/two\n0::/"), "/one/two");
  EXPECT_EQ(parse_proc_cgroup("0::/a/b (deleted)\n"), "/a/b");
  EXPECT_EQ(parse_proc_cgroup("0::/a:b:c\n"), "/a:b:c");
  EXPECT_FALSE(parse_proc_cgroup("0::/\n"));
  EXPECT_FALSE(parse_proc_cgroup(""));
  EXPECT_FALSE(parse_proc_cgroup("::\n:\n0:\n0::relative\n\n"));
}

TEST(ProcCgroup, OfAControllerOfV1) {
  const auto of = [](std::string_view text) { return parse_proc_cgroup_of("cpuacct", text); };
  EXPECT_EQ(of(test::golden("proc-cgroup-hybrid.txt")),
            "/kubepods/besteffort/pod82a9c79c-7b82-4530-b485-39aded24b5be/"
            "91f829d8c00710f813b90bd0a28e54b1eda851421bbd5762e53e5bf7f0b9b7e2");
  EXPECT_EQ(of("5:cpu,cpuacct:/a\n0::/b\n"), "/a");
  EXPECT_EQ(of("5:cpuacct,cpu:/a (deleted)\n"), "/a");
  EXPECT_FALSE(of("5:cpu,cpuacct:/\n3:memory:/a\n0::/b\n")) << "the root";
  EXPECT_FALSE(of("5:cpu:/a\n3:name=cpuacct:/a\n0::/b\n"));
  EXPECT_FALSE(of(""));
}

}  // namespace
}  // namespace flowtap::identity
