// Whether what flowtapd may take fits below the limits of its memory: which limits there are, and what auto takes below them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "stream/commands.hpp"
#include "stream/journal/journal_segments.hpp"
#include "stream/memory/flows_room.hpp"
#include "stream/memory/memory_files.hpp"
#include "stream/memory/memory_fit.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr unsigned kCpus = 2;
constexpr const char* kMeminfo = "MemTotal:        8388608 kB\nMemFree:  1 kB\n";
constexpr const char* kV2Mount =
    "25 1 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

std::vector<MemoryLimit> limits_of(const test::FileTree& tree) {
  std::string unread;
  auto limits = memory_limits(unread, tree.root());
  EXPECT_EQ(unread, "");
  return limits;
}

TEST(MemoryLimits, TheNearestIsTheSmallestOfAllAbove) {
  test::FileTree tree;
  tree.file("proc/meminfo", kMeminfo)
      .file("proc/self/cgroup", "0::/kubepods/pod1/app\n")
      .file("proc/self/mountinfo", kV2Mount)
      .file("sys/fs/cgroup/kubepods/pod1/app/memory.max", "max\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.max", "209715200\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.current", "104857600\n")
      .file("sys/fs/cgroup/kubepods/pod1/memory.stat",
            "anon 1\nfile 73400320\nshmem 62914560\ninactive_file 5242880\nactive_file 4194304\n"
            "slab_reclaimable 1048576\nslab_unreclaimable 2097152\n")
      .file("sys/fs/cgroup/kubepods/memory.max", "1073741824\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_EQ(smallest(limits)->bytes, 200 * kMiB);
  EXPECT_EQ(smallest(limits)->left, 110 * kMiB) << "tmpfs is not taken back, caches of files are";
  EXPECT_EQ(smallest(limits)->shmem, 60 * kMiB);
  EXPECT_EQ(smallest(limits)->whose, "memory.max of the cgroup /kubepods/pod1");
  EXPECT_EQ(limits.back().whose, "the machine's memory");
  EXPECT_EQ(limits.back().bytes, 8192 * kMiB);
  EXPECT_EQ(limits.back().left, 8192 * kMiB);
}

TEST(MemoryLimits, OfV1) {
  test::FileTree tree;
  tree.file("proc/self/cgroup", "11:devices:/x\n4:memory:/a/b\n0::/\n")
      .file("proc/self/mountinfo",
            "30 1 0:9 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            "31 1 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n")
      .file("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "104857600\n")
      .file("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "94371840\n")
      .file("sys/fs/cgroup/memory/a/b/memory.stat",
            "inactive_file 7\ntotal_inactive_file 4194304\nshmem 7\ntotal_shmem 1048576\n")
      .file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits.front().bytes, 100 * kMiB);
  EXPECT_EQ(limits.front().left, 14 * kMiB);
  EXPECT_EQ(limits.front().shmem, kMiB);
  EXPECT_EQ(limits.front().whose, "memory.limit_in_bytes of the cgroup /a/b");
}

// A container sees its own cgroup as the root, or the whole tree's path beside a mount that begins at its own.
TEST(MemoryLimits, InContainers) {
  for (const char* cgroup : {"0::/\n", "0::/../../x\n", "0::/kubepods/app\n"}) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", cgroup)
        .file("proc/self/mountinfo", cgroup == std::string("0::/kubepods/app\n")
                                         ? "25 1 0:22 /kubepods/app /sys/fs/cgroup ro - cgroup2 cgroup2 ro\n"
                                         : kV2Mount)
        .file("sys/fs/cgroup/memory.max", "67108864\n")
        .file("sys/fs/cgroup/memory.current", "1048576\n");
    const auto limits = limits_of(tree);
    ASSERT_EQ(limits.size(), 1U) << cgroup;
    EXPECT_EQ(limits.front().left, 63 * kMiB) << cgroup;
  }
}

// What others do in a cgroup above is no reason to remove anything here.
TEST(MemoryLimits, WhichOnesAreItsOwn) {
  const std::string pod = "/kubepods/pod00000000-1111-2222-3333-444444444444";
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::" + pod + "/app\n").file("proc/self/mountinfo", kV2Mount);
  for (const std::string& cgroup : {pod + "/app", pod, std::string("/kubepods")})
    tree.file("sys/fs/cgroup" + cgroup + "/memory.max", "209715200\n")
        .file("sys/fs/cgroup" + cgroup + "/memory.current", "209715200\n");
  const auto limits = limits_of(tree);
  ASSERT_EQ(limits.size(), 3U);
  EXPECT_TRUE(limits[0].own);
  EXPECT_TRUE(limits[1].own);
  EXPECT_FALSE(limits[2].own);
}

TEST(MemoryLimits, WhatThisProcessHasAlreadyIsLeftToIt) {
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::/\n")
      .file("proc/self/mountinfo", kV2Mount)
      .file("proc/self/statm", "40000 512 256 9 0 77 0\n")
      .file("sys/fs/cgroup/memory.max", "104857600\n")
      .file("sys/fs/cgroup/memory.current", "104857600\n");
  EXPECT_EQ(limits_of(tree).at(0).left, 256U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

// A node with many containers has that many.
TEST(MemoryLimits, BehindThousandsOfMounts) {
  std::string mounts;
  while (mounts.size() < 3 * kMiB)
    mounts += "99 1 0:44 / /var/lib/containers/" + std::to_string(mounts.size()) +
              " rw,relatime - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d\n";
  test::FileTree tree;
  tree.file("proc/self/cgroup", "0::/\n")
      .file("proc/self/mountinfo", mounts + kV2Mount)
      .file("sys/fs/cgroup/memory.max", "104857600\n");
  EXPECT_EQ(limits_of(tree).size(), 1U);
}

TEST(MemoryLimits, WhatCannotBeReadIsNoLimitAndIsTold) {
  test::FileTree tree;
  std::string unread;
  EXPECT_TRUE(memory_limits(unread, tree.root()).empty());
  EXPECT_NE(unread.find("the memory limits of cgroups are not known"), std::string::npos) << unread;
  EXPECT_NE(unread.find("/proc/self/cgroup"), std::string::npos) << unread;
  tree.file("proc/self/cgroup", "nonsense\n::\n0:/x\n")
      .file("proc/self/mountinfo", "25 - cgroup2\n - \n25 1 0:22 / /sys/fs/cgroup - cgroup2 x rw\n");
  EXPECT_TRUE(limits_of(tree).empty());
  EXPECT_EQ(smallest({}), nullptr);
}

// Whatever a file says: a number, or no limit.
TEST(MemoryLimits, OnlyAWholeNumberIsALimit) {
  const auto limit = [](const std::string& text) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/x\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("sys/fs/cgroup/x/memory.max", text)
        .file("sys/fs/cgroup/x/memory.current", "4096\n");
    const auto limits = limits_of(tree);
    return limits.empty() ? std::nullopt : std::optional(limits.front().bytes);
  };
  EXPECT_EQ(limit("1048576\n"), kMiB);
  EXPECT_EQ(limit("1048576"), kMiB);
  EXPECT_EQ(limit("0\n"), 0U) << "the kernel takes it";
  for (const char* none : {"", "\n", "max\n", "max", "-1\n", "+1048576\n", "1e9\n", "1048576 2\n",
                           "1048576k\n", "0x100000\n", "1048576\n7\n", "9223372036854771712\n",
                           "18446744073709551615\n", "99999999999999999999999\n", "\xff\xfe\x01", "MAX\n"})
    EXPECT_EQ(limit(none), std::nullopt) << none;
}

TEST(MemoryLimits, WhatIsChargedAndCannotBeReadCountsAsNothing) {
  const auto left = [](const std::string& current, const std::string& stat) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/x\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("sys/fs/cgroup/x/memory.max", "1048576\n")
        .file("sys/fs/cgroup/x/memory.current", current)
        .file("sys/fs/cgroup/x/memory.stat", stat);
    return limits_of(tree).at(0).left;
  };
  EXPECT_EQ(left("4096\n", ""), kMiB - 4096);
  EXPECT_EQ(left("4096\n", "inactive_file 99999999\n"), kMiB) << "more cache than there is";
  EXPECT_EQ(left("4096\n", "inactive_file -7\nactive_file\nslab_reclaimable 1e3\nnonsense"), kMiB - 4096);
  EXPECT_EQ(left("99999999999\n", ""), 0U) << "more than the limit, as when that was lowered";
  for (const char* none : {"", "max\n", "-5\n", "99999999999999999999999\n", "x"})
    EXPECT_EQ(left(none, ""), kMiB) << none;
}

TEST(MemoryLimits, PlacesThatAreNone) {
  const auto place = [](std::string_view cgroup, std::string_view mountinfo) {
    return memory_cgroup_place(cgroup, mountinfo, CgroupVersion::kV2);
  };
  const std::string_view good = "0::/a/b\n";
  ASSERT_TRUE(place(good, kV2Mount));
  EXPECT_EQ(place(good, kV2Mount)->path, "/a/b");
  for (const std::string_view cgroup :
       {"", "\n", ":", "::", "0::", "0::\n", "0::relative\n", "0:/x\n", "1::/x\n"})
    EXPECT_FALSE(place(cgroup, kV2Mount)) << cgroup;
  for (const std::string_view mounts :
       {"", " - cgroup2\n", "25 - cgroup2\n", "25 1 0:22 / - cgroup2 x rw\n",
        "25 1 0:22 / sys rw - cgroup2 x rw\n", "25 1 0:22 x /sys rw - cgroup2 x rw\n",
        "25 1 0:22 / /sys rw cgroup2 x rw\n"})
    EXPECT_FALSE(place(good, mounts)) << mounts;
  EXPECT_EQ(place(good, "25 1 0:22 /elsewhere /sys rw - cgroup2 x rw\n")->path, "");
  EXPECT_EQ(place(good, "25 1 0:22 /a /sys rw - cgroup2 x rw\n")->path, "/b");
  EXPECT_EQ(place("0::/ab\n", "25 1 0:22 /a /sys rw - cgroup2 x rw\n")->path, "") << "another one's name";
}

TEST(MemoryLimits, AMachineWithNoMemoryOrTooMuchOfIt) {
  for (const char* meminfo : {"", "MemTotal: kB\n", "MemTotal: -1 kB\n",
                              "MemTotal: 18446744073709551615 kB\n", "MemTotal: 0 kB\n"}) {
    test::FileTree tree;
    tree.file("proc/self/cgroup", "0::/\n")
        .file("proc/self/mountinfo", kV2Mount)
        .file("proc/meminfo", meminfo);
    EXPECT_TRUE(limits_of(tree).empty()) << meminfo;
  }
}

TEST(MemoryLimits, WhatAProcessHasBesideItsFiles) {
  EXPECT_EQ(anonymous_of_statm("40000 512 256 9 0 77 0\n", 4096), 256U * 4096);
  EXPECT_EQ(anonymous_of_statm("40000 512 600 9 0 77 0\n", 4096), 0U);
  for (const char* none : {"", "\n", "1", "1 x", "1 99999999999999999999999 0", "1 18446744073709551615 0"})
    EXPECT_EQ(anonymous_of_statm(none, 4096), 0U) << none;
}

// What a start takes before it can make room, with a journal of this size.
constexpr std::uint64_t at_once(std::uint64_t journal) {
  return 18 * kMiB + kCpus * kMiB / 2 + journal_segment_bytes(journal);
}

std::vector<MemoryLimit> limited(std::uint64_t bytes, std::uint64_t left) {
  return {{.bytes = bytes,
           .left = left,
           .shmem = bytes - left,
           .own = true,
           .whose = "memory.max of the cgroup /x"}};
}
MemoryFit fit(const StreamOptions& options, std::uint64_t limit) {
  return fit_memory(options, limited(limit, limit), kCpus);
}

TEST(MemoryFit, AutoTakesWhatItTookBeforeWhereThereIsRoom) {
  for (const auto& limits : {std::vector<MemoryLimit>{}, limited(1024 * kMiB, 1024 * kMiB)}) {
    const MemoryFit fit = fit_memory({}, limits, kCpus);
    EXPECT_EQ(fit.options.ring_bytes, 64 * kMiB);
    EXPECT_EQ(fit.options.lines.flows_bytes, 64 * kMiB);
    EXPECT_EQ(fit.options.lines.journal_bytes, 32 * kMiB);
    EXPECT_EQ(fit.too_much, "");
    EXPECT_EQ(fit.short_at_start, 0U);
    EXPECT_THAT(fit.taken,
                testing::ElementsAre("stream.ring_bytes: 64 MiB (auto)", "stream.flows_bytes: 64 MiB (auto)",
                                     "stream.journal_bytes: 32 MiB (auto)"));
  }
}

TEST(MemoryFit, WithoutALimitAutoTakesItsWishWhateverIsGiven) {
  StreamOptions options;
  options.lines.flows_bytes = 256 * kMiB;
  const MemoryFit found = fit_memory(options, {}, kCpus);
  EXPECT_EQ(found.options.ring_bytes, 64 * kMiB);
  EXPECT_EQ(found.options.lines.flows_bytes, 256 * kMiB);
  EXPECT_EQ(found.options.lines.journal_bytes, 32 * kMiB);
  EXPECT_EQ(found.too_much, "");
}

// Whatever the limit, and whatever is given beside it.
TEST(MemoryFit, WhatAutoTakesFits) {
  StreamOptions ring;
  ring.ring_bytes = 16 * kMiB;
  StreamOptions flows;
  flows.lines.flows_bytes = 40 * kMiB;
  StreamOptions journal;
  journal.lines.journal_bytes = 20 * kMiB;
  StreamOptions large;
  large.lines.flows.flow_bytes = 128 * kMiB;
  StreamOptions larger;
  larger.lines.flows.flow_bytes = 24 * kMiB;
  for (const StreamOptions& options : {StreamOptions{}, ring, flows, journal, large, larger})
    for (std::uint64_t limit = 122 * kMiB; limit < 400 * kMiB; limit += 3'333'333) {
      const MemoryFit found = fit(options, limit);
      const LineOptions& lines = found.options.lines;
      EXPECT_EQ(found.too_much, "") << limit;
      EXPECT_LE(found.needed, limit);
      EXPECT_LE(found.options.ring_bytes + lines.flows_bytes, limit);
      EXPECT_LE(lines.journal_bytes, max_journal_bytes(lines.flows_bytes)) << limit;
      EXPECT_GE(lines.journal_bytes, 8 * kMiB);
      EXPECT_GE(lines.flows_bytes, 16 * kMiB);
      EXPECT_FALSE(found.taken.empty());
      const auto given = [](std::uint64_t configured, std::uint64_t taken) {
        return configured == kAutoSize || configured == taken;
      };
      EXPECT_TRUE(given(options.ring_bytes, found.options.ring_bytes));
      EXPECT_TRUE(given(options.lines.flows_bytes, lines.flows_bytes));
      EXPECT_TRUE(given(options.lines.journal_bytes, lines.journal_bytes));
    }
}

TEST(MemoryFit, TooMuchIsToldWithFiguresThatFit) {
  StreamOptions options;
  options.ring_bytes = 64 * kMiB;
  options.lines.flows_bytes = 256 * kMiB;
  options.lines.journal_bytes = 64 * kMiB;
  const MemoryFit found = fit(options, 140 * kMiB);
  EXPECT_EQ(found.options.ring_bytes, options.ring_bytes);
  EXPECT_EQ(found.options.lines.flows_bytes, 16 * kMiB) << "of 79 MiB, the ring takes 64";
  EXPECT_EQ(found.options.lines.journal_bytes, 12 * kMiB);
  EXPECT_THAT(found.taken, testing::IsEmpty());
  EXPECT_EQ(
      found.too_much,
      "flowtapd may take 381 MiB (ring 64 MiB, flows 256 MiB, itself 61 MiB) and is killed beyond 140 MiB "
      "(memory.max of the cgroup /x): stream.ring_bytes: 33554432, stream.flows_bytes: 49283072, "
      "stream.journal_bytes: 24641536 would fit, and so would auto; flows are kept to 16 MiB");
  options.ring_bytes = 33554432;
  options.lines.flows_bytes = 49283072;
  options.lines.journal_bytes = 24641536;
  EXPECT_EQ(fit(options, 140 * kMiB).too_much, "");
}

// Its later half is in memory while the older one makes room.
TEST(MemoryFit, ThereIsMemoryToRewriteAFlow) {
  StreamOptions options;
  options.lines.flows.flow_bytes = 128 * kMiB;
  for (std::uint64_t limit = 122 * kMiB; limit < 300 * kMiB; limit += 3'333'333) {
    const MemoryFit found = fit(options, limit);
    const std::uint64_t flows = found.options.lines.flows_bytes;
    EXPECT_LE(found.options.ring_bytes + flows + (flows - 10 * kMiB) / 2 + 61 * kMiB, limit) << flows;
    const MemoryFit again = fit_memory(options, limited(limit, limit - found.options.ring_bytes - flows),
                                       kCpus, {.ring = found.options.ring_bytes, .flows = flows});
    EXPECT_EQ(again.short_at_start, 0U) << limit;
  }
  EXPECT_EQ(fit(options, 300 * kMiB).needed, 64 * kMiB + 64 * kMiB + 61 * kMiB + 27 * kMiB);
  options.ring_bytes = 32 * kMiB;
  options.lines.flows_bytes = 256 * kMiB;
  EXPECT_TRUE(fit(options, 172 * kMiB).too_much.ends_with("; flows are kept to 56 MiB"))
      << fit(options, 172 * kMiB).too_much;
}

TEST(MemoryFit, WhereNothingFitsItSaysHowMuchWould) {
  const MemoryFit found = fit({}, 32 * kMiB);
  EXPECT_NE(found.too_much.find("it needs 78 MiB at least"), std::string::npos) << found.too_much;
  EXPECT_EQ(fit({}, 78 * kMiB).too_much, "");
}

TEST(MemoryFit, APinnedRingCountsAsItIs) {
  const MemoryFit found = fit_memory({}, limited(172 * kMiB, 172 * kMiB), kCpus, {.ring = 64 * kMiB});
  EXPECT_EQ(found.options.ring_bytes, 64 * kMiB);
  EXPECT_EQ(found.options.lines.flows_bytes, 47 * kMiB);
  EXPECT_EQ(found.too_much, "");
}

// Else nobody could tell that the ring is not as configured.
TEST(MemoryFit, APinnedRingChangesNothingInWhatWasAskedFor) {
  StreamOptions options;
  options.ring_bytes = 16 * kMiB;
  options.lines.flows_bytes = 64 * kMiB;
  const MemoryFit found = fit_memory(options, limited(172 * kMiB, 172 * kMiB), kCpus, {.ring = 64 * kMiB});
  EXPECT_EQ(found.options.ring_bytes, 16 * kMiB);
  EXPECT_EQ(found.needed, 189 * kMiB);
  EXPECT_TRUE(
      found.too_much.ends_with("; the ring is one from before: flowtapd --detach ends it, and the "
                               "next start takes one of 16 MiB; flows are kept to 47 MiB"))
      << found.too_much;
  options.lines.flows_bytes = 256 * kMiB;
  EXPECT_EQ(found.options.lines.flows_bytes, 47 * kMiB);
  const MemoryFit anyway = fit_memory(options, limited(172 * kMiB, 172 * kMiB), kCpus, {.ring = 64 * kMiB});
  EXPECT_FALSE(anyway.too_much.contains("--detach")) << anyway.too_much;
}

// What was captured is charged, with the ring and the counters that are pinned, whether flowtapd ended, or was killed for want of
// memory once: the sizes fit, so all of it stays.
TEST(MemoryFit, AStartThatFitsMissesNothingHoweverFullTheFlowsAre) {
  for (std::uint64_t limit = 122 * kMiB; limit < 400 * kMiB; limit += 7 * kMiB) {
    const MemoryFit sizes = fit({}, limit);
    const std::uint64_t ring = sizes.options.ring_bytes;
    const std::uint64_t flows = sizes.options.lines.flows_bytes;
    for (const std::uint64_t pinned : {0 * kMiB, 3 * kMiB, 20 * kMiB}) {
      const MemoryFit again = fit_memory({}, limited(limit, limit - ring - flows - pinned), kCpus,
                                         {.ring = ring, .flows = flows});
      EXPECT_EQ(again.short_at_start, 0U) << limit << " " << pinned;
      EXPECT_EQ(again.short_at_once, 0U) << limit << " " << pinned;
    }
  }
}

// So much is charged beside the flows that it would not even begin; or a ring has to be made.
TEST(MemoryFit, WhatOthersTakeBesideTheFlowsIsMissing) {
  const std::uint64_t flows = 49 * kMiB;
  const auto pinned = [](std::uint64_t left) {
    return fit_memory({}, limited(142 * kMiB, left), kCpus, {.ring = 32 * kMiB, .flows = flows});
  };
  const std::uint64_t begin = at_once(flows / 2);
  EXPECT_EQ(pinned(begin).short_at_start, 0U);
  EXPECT_EQ(pinned(begin - 2 * kMiB).short_at_start, 2 * kMiB);
  EXPECT_EQ(pinned(begin - 2 * kMiB).short_at_once, 2 * kMiB);
  EXPECT_EQ(fit_memory({}, limited(142 * kMiB, 0), kCpus, {.ring = 32 * kMiB, .flows = kMiB}).short_at_once,
            kMiB)
      << "no more than there is";
  const MemoryFit anew = fit_memory({}, limited(256 * kMiB, 64 * kMiB), kCpus, {.flows = 64 * kMiB});
  EXPECT_EQ(anew.short_at_once, 0U);
  EXPECT_EQ(anew.short_at_start, at_once(32 * kMiB)) << "64 MiB of ring are all that is left";
}

// tmpfs stays charged when the process that wrote it was killed, and would have it killed again.
TEST(MemoryFit, OfSizesThatDoNotFitTheFlowsKeepWhatFits) {
  StreamOptions options;
  options.ring_bytes = 32 * kMiB;
  options.lines.flows_bytes = 256 * kMiB;
  options.lines.journal_bytes = 128 * kMiB;
  const auto with = [&options](std::uint64_t left) {
    return fit_memory(options, limited(172 * kMiB, left), kCpus, {.ring = 32 * kMiB, .flows = 100 * kMiB});
  };
  // 172 less the ring and 61 for itself.
  EXPECT_EQ(with(28 * kMiB).short_at_start, 21 * kMiB);
  EXPECT_EQ(with(10 * kMiB).short_at_once, at_once(128 * kMiB) - 10 * kMiB);
  const MemoryFit little =
      fit_memory(options, limited(172 * kMiB, 49 * kMiB), kCpus, {.ring = 32 * kMiB, .flows = 79 * kMiB});
  EXPECT_EQ(little.short_at_start, 0U) << "there is no more than what fits";
}

// As after a restart of its pod, whose cgroup is another one each time.
TEST(MemoryFit, FlowsThatAreChargedElsewhereStay) {
  StreamOptions options;
  options.lines.flows_bytes = 256 * kMiB;
  auto limits = limited(160 * kMiB, 150 * kMiB);
  limits.front().shmem = 0;
  const MemoryFit fit = fit_memory(options, limits, kCpus, {.ring = 32 * kMiB, .flows = 200 * kMiB});
  EXPECT_EQ(fit.short_at_start, 0U);
  EXPECT_EQ(fit.short_at_once, 0U);
}

TEST(MemoryFit, WhatOthersTakeInACgroupAboveIsNotMissing) {
  auto limits = limited(256 * kMiB, 200 * kMiB);
  limits.push_back({.bytes = 1024 * kMiB, .left = 0, .whose = "memory.max of the cgroup /"});
  const MemoryFit fit = fit_memory({}, limits, kCpus, {.flows = 16 * kMiB});
  EXPECT_EQ(fit.short_at_start, 0U);
  EXPECT_EQ(fit.short_at_once, 0U);
}

TEST(Check, TellsTheSizesThatAreAutoAndWhatCanFitNothing) {
  const auto by_default = check({});
  ASSERT_GE(by_default.size(), 3U);
  EXPECT_THAT(by_default[0],
              testing::AllOf(testing::StartsWith("stream.ring_bytes: "), testing::EndsWith(" (auto)")));
  EXPECT_THAT(by_default[1], testing::StartsWith("stream.flows_bytes: "));
  EXPECT_THAT(by_default[2], testing::StartsWith("stream.journal_bytes: "));
  StreamOptions given;
  given.ring_bytes = kMiB;
  given.lines.flows_bytes = 16 * kMiB;
  given.lines.journal_bytes = 8 * kMiB;
  given.lines.schedulers.logs = {"file//tmp/x.log"};
  EXPECT_THAT(check(given).back(),
              testing::StartsWith("warning: stream.schedulers: \"file//tmp/x.log\" can fit nothing: "));
  EXPECT_THAT(check(given), testing::Not(testing::Contains(testing::HasSubstr("auto)"))));
  given.enabled = false;
  EXPECT_THAT(check(given), testing::IsEmpty());
}

TEST(FlowsRoom, TheOldestLogsGoFirstAndTheJournalStays) {
  const std::vector<std::string> all{"young.log", "old.log", ".index", ".since", ".journal/00000001.seg"};
  test::FileTree tree;
  for (const std::string& name : all) tree.file(name, std::string(8192, 'x'));
  const std::array<timespec, 2> long_ago{{{1'000'000, 0}, {1'000'000, 0}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (tree.root() + "/old.log").c_str(), long_ago.data(), 0), 0);
  const auto gone = [&] {
    std::string names;
    for (const std::string& name : all)
      if (!std::filesystem::exists(tree.root() + "/" + name)) names += name + " ";
    return names;
  };
  EXPECT_EQ(remove_oldest_logs(tree.root(), 0), 0U);
  EXPECT_EQ(gone(), "");
  EXPECT_EQ(remove_oldest_logs(tree.root(), 1), 8192U);
  EXPECT_EQ(gone(), "old.log ");
  EXPECT_EQ(remove_oldest_logs(tree.root(), kMiB), 8192U);
  EXPECT_EQ(gone(), "young.log old.log ");
  EXPECT_EQ(remove_oldest_logs(tree.root() + "/none", kMiB), 0U);
}

}  // namespace
}  // namespace flowtap
