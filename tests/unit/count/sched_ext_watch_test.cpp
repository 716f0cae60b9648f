#include "count/sched_ext_watch.hpp"

#include <gtest/gtest.h>

namespace flowtap {
namespace {

using stats::StatId;

std::optional<stats::Value> sample(const SchedExtWatch& watch, StatId id,
                                   const std::vector<std::string>& labels) {
  std::vector<stats::Series> all;
  watch.append_samples(all);
  for (const stats::Series& s : all)
    if (s.stat->id == id && s.labels == labels) return s.value;
  return std::nullopt;
}

kernel::SchedExt without_scheduler(const std::string& state, std::uint64_t sequence) {
  kernel::SchedExt now;
  now.state = state;
  now.enable_sequence = sequence;
  return now;
}

kernel::SchedExt running(std::uint64_t sequence, std::uint64_t events, std::uint64_t rejected = 0) {
  return {.state = "enabled",
          .scheduler = "lavd",
          .enable_sequence = sequence,
          .rejected = rejected,
          .events = {{"keep_last", events}}};
}

TEST(SchedExtWatch, AKernelWithoutSchedExtHasNoSeries) {
  SchedExtWatch watch;
  watch.note(std::nullopt);
  std::vector<stats::Series> all;
  watch.append_samples(all);
  EXPECT_TRUE(all.empty());
}

TEST(SchedExtWatch, TheStateIsOneOfAll) {
  SchedExtWatch watch;
  watch.note(without_scheduler("disabled", 0));
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_STATE, {"disabled"}), stats::Value{1.0});
  for (const char* other : {"enabling", "enabled", "disabling"})
    EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_STATE, {other}), stats::Value{0.0}) << other;
  EXPECT_FALSE(sample(watch, StatId::kSCHED_EXT_INFO, {"lavd"}));
  watch.note(without_scheduler("dreaming", 0));
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_STATE, {"other"}), stats::Value{1.0});
}

TEST(SchedExtWatch, CountersOfTheKernelDoNotFallWhenASchedulerIsLoadedAnew) {
  SchedExtWatch watch;
  watch.note(running(1, 10, 3));
  watch.note(running(1, 15, 3));
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_EVENTS, {"lavd", "keep_last"}), stats::Value{std::uint64_t{15}});
  watch.note(without_scheduler("disabled", 1));
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_EVENTS, {"lavd", "keep_last"}), stats::Value{std::uint64_t{15}});
  watch.note(without_scheduler("enabling", 2));
  watch.note(running(2, 20, 1));
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_EVENTS, {"lavd", "keep_last"}), stats::Value{std::uint64_t{35}})
      << "20 of a new run, though it is more than before";
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_REJECTED, {"lavd"}), stats::Value{std::uint64_t{4}});
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_ENABLES, {}), stats::Value{std::uint64_t{2}});
}

TEST(SchedExtWatch, WithoutTheSequenceAFallTellsOfANewRun) {
  SchedExtWatch watch;
  auto first = running(0, 10);
  first.enable_sequence.reset();
  auto second = running(0, 4);
  second.enable_sequence.reset();
  watch.note(first);
  watch.note(second);
  EXPECT_EQ(sample(watch, StatId::kSCHED_EXT_EVENTS, {"lavd", "keep_last"}), stats::Value{std::uint64_t{14}});
  EXPECT_FALSE(sample(watch, StatId::kSCHED_EXT_ENABLES, {})) << "what was not read is absent";
}

}  // namespace
}  // namespace flowtap
