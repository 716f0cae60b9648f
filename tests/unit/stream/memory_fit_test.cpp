// Whether what flowtapd may take fits below the limits of its memory, what auto takes below them, and what makes room.
#include "stream/memory/memory_fit.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "stream/commands.hpp"
#include "stream/journal/journal_segments.hpp"
#include "stream/memory/flows_room.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr unsigned kCpus = 2;

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

TEST(MemoryFit, AboveMemoryHighItIsSlowedDown) {
  StreamOptions options;
  options.ring_bytes = 64 * kMiB;
  options.lines.flows_bytes = 256 * kMiB;
  auto limits = limited(140 * kMiB, 140 * kMiB);
  limits.front().slows = true;
  limits.front().whose = "memory.high of the cgroup /x";
  const MemoryFit found = fit_memory(options, limits, kCpus);
  EXPECT_TRUE(
      found.too_much.contains("but the kernel slows it down above 140 MiB (memory.high of the cgroup /x)"))
      << found.too_much;
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
      "flowtapd may take 381 MiB (ring 64 MiB, flows 256 MiB, itself 61 MiB), but the kernel kills it above "
      "140 MiB (memory.max of the cgroup /x); auto fits, and so does stream.ring_bytes: 33554432, "
      "stream.flows_bytes: 49283072, stream.journal_bytes: 24641536; until then, flows get no more than 16 "
      "MiB");
  options.ring_bytes = 33554432;
  options.lines.flows_bytes = 49283072;
  options.lines.journal_bytes = 24641536;
  EXPECT_EQ(fit(options, 140 * kMiB).too_much, "");
}

// Flows that are cut take the journal in them along.
TEST(MemoryFit, TheSizesThatAreToldAreThoseThatAreUsed) {
  StreamOptions flows;
  flows.ring_bytes = 64 * kMiB;
  flows.lines.flows_bytes = 256 * kMiB;
  const MemoryFit cut = fit(flows, 140 * kMiB);
  EXPECT_EQ(cut.options.lines.journal_bytes, 12 * kMiB);
  EXPECT_THAT(cut.taken, testing::ElementsAre("stream.journal_bytes: 12 MiB (auto)"));
  StreamOptions journal;
  journal.lines.journal_bytes = 60 * kMiB;
  const MemoryFit both = fit_memory(journal, limited(140 * kMiB, 140 * kMiB), kCpus, {.ring = 64 * kMiB});
  ASSERT_LT(both.options.lines.flows_bytes, 80 * kMiB);
  EXPECT_THAT(both.taken,
              testing::Contains("stream.flows_bytes: " + mib(both.options.lines.flows_bytes) + " (auto)"));
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
  EXPECT_TRUE(fit(options, 172 * kMiB).too_much.ends_with("; until then, flows get no more than 56 MiB"))
      << fit(options, 172 * kMiB).too_much;
}

TEST(MemoryFit, WhereNothingFitsItSaysHowMuchWould) {
  const MemoryFit found = fit({}, 32 * kMiB);
  EXPECT_NE(found.too_much.find("it needs at least 78 MiB"), std::string::npos) << found.too_much;
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
      found.too_much.ends_with("; the ring is left from an earlier start: flowtapd --detach ends it, and the "
                               "next start makes one of 16 MiB; until then, flows get no more than 47 MiB"))
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
  const auto by_default = check({}, "/");
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
  EXPECT_THAT(check(given, "/"), testing::Contains(testing::StartsWith(
                                     "warning: stream.schedulers: \"file//tmp/x.log\" can fit nothing: ")));
  EXPECT_THAT(check(given, "/"), testing::Not(testing::Contains(testing::HasSubstr("auto)"))));
  given.enabled = false;
  EXPECT_THAT(check(given, "/"),
              testing::ElementsAre(testing::EndsWith(" is captured: stream.enabled is false")));
  given.lines.schedulers = {};
  EXPECT_THAT(check(given, "/"), testing::IsEmpty());
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
