// The script behaves as the ring does. Otherwise nothing that is tested with it would be worth much.
#include "kernel/records/scripted_source.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace flowtap::flow {
namespace {

using std::chrono::milliseconds;

/// What a drain gives, as the cgroup numbers that the test's records carry.
struct Drain {
  RingPosition end = 0;
  std::vector<std::uint64_t> gone;
};

Drain drain(RecordSource& source, std::size_t limit = 1U << 20U) {
  Drain drain;
  drain.end = source
                  .drain(limit,
                         [&](std::span<const std::byte> raw) {
                           drain.gone.push_back(std::get<CgroupGone>(parse_record(raw).value().what).cgroup);
                         })
                  .value();
  return drain;
}

void push(ScriptedSource& source, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t n = first; n <= last; ++n) source.push({0, CgroupGone{n}});
}

using List = std::vector<std::uint64_t>;

TEST(ScriptedSource, GivesTheSameUntilItIsCommitted) {
  ScriptedSource source("ring");
  push(source, 1, 3);
  const auto first = drain(source);
  EXPECT_EQ(first.gone, (List{1, 2, 3}));
  push(source, 4, 4);
  EXPECT_EQ(drain(source).gone, (List{1, 2, 3, 4}));
  EXPECT_EQ(source.position(), 0U);
  source.commit(first.end);
  EXPECT_EQ(source.position(), first.end);
  EXPECT_EQ(drain(source).gone, (List{4}));
  source.commit(0);
  EXPECT_EQ(drain(source).gone, (List{4})) << "positions only grow";
}

TEST(ScriptedSource, LimitsADrainToWholeRecords) {
  ScriptedSource source("ring");
  push(source, 1, 10);
  const auto some = drain(source, 100);  // a record has 48 bytes
  EXPECT_EQ(some.gone, (List{1, 2, 3}));
  source.commit(some.end);
  EXPECT_EQ(drain(source, 1).gone, (List{4})) << "at least one, or nothing would ever move";
}

TEST(ScriptedSource, ABusyRecordHoldsUpAllBehindIt) {
  ScriptedSource source("ring");
  push(source, 1, 2);
  source.set_busy(true);
  push(source, 3, 4);
  const auto before = drain(source);
  EXPECT_EQ(before.gone, (List{1, 2}));
  source.commit(before.end);
  EXPECT_TRUE(drain(source).gone.empty());
  source.set_busy(false);
  EXPECT_EQ(drain(source).gone, (List{3, 4}));
}

TEST(ScriptedSource, ALookAheadTakesNothingAway) {
  ScriptedSource source("ring");
  const auto look = [&source](RingPosition from) {
    Drain seen;
    seen.end =
        source
            .look_ahead(from,
                        [&](std::span<const std::byte> raw) {
                          seen.gone.push_back(std::get<CgroupGone>(parse_record(raw).value().what).cgroup);
                        })
            .value();
    return seen;
  };
  push(source, 1, 3);
  const auto first = look(source.position());
  EXPECT_EQ(first.gone, (List{1, 2, 3}));
  push(source, 4, 4);
  source.set_busy(true);
  push(source, 5, 5);
  EXPECT_EQ(look(first.end).gone, (List{4}));
  EXPECT_EQ(drain(source).gone, (List{1, 2, 3, 4}));
  EXPECT_EQ(source.position(), 0U);
  source.commit(first.end);
  EXPECT_EQ(look(source.position()).gone, (List{4}));
}

TEST(ScriptedSource, WaitEndsByRecordInterruptAndEnd) {
  ScriptedSource source("ring");
  const std::jthread pusher([&] { push(source, 1, 1); });
  EXPECT_TRUE(source.wait(milliseconds(60'000)));
  source.commit(drain(source).end);
  source.interrupt();
  EXPECT_TRUE(source.wait(milliseconds(60'000))) << "an interrupt before the wait ends it";
  push(source, 2, 2);
  source.end();
  EXPECT_TRUE(source.wait(milliseconds(60'000))) << "ended, but not everything was taken";
  source.commit(drain(source).end);
  EXPECT_FALSE(source.wait(milliseconds(60'000)));
}

}  // namespace
}  // namespace flowtap::flow
