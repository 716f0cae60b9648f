#include "identity/container_runs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/wall_clock.hpp"

namespace flowtap::identity {
namespace {

const std::string kFirst = "container/again-c55c4ecf3dea";

TEST(FlowRun, StandsAtTheEndOfAContainersId) {
  EXPECT_EQ(run_flow_id(kFirst, 1), kFirst);
  for (const std::uint64_t number : {std::uint64_t{2}, std::uint64_t{17}, std::uint64_t{123'456'789}}) {
    const std::string id = run_flow_id(kFirst, number);
    EXPECT_EQ(run_of_flow(id).first, kFirst) << id;
    EXPECT_EQ(run_of_flow(id).number, number) << id;
  }
  EXPECT_EQ(run_of_flow("pod/a/b/u/c/0/inner@2").number, 2U);
  EXPECT_EQ(run_of_flow("unit/user@7.service/inner@2").first, "unit/user@7.service/inner");
  // These are all of it.
  for (const char* id :
       {"container/a-b@", "container/a-b@1", "container/a-b@0", "container/a-b@02", "container/a-b@2x",
        "container/a-b@1234567890123456789", "unit/a@2", "unit/getty@tty1.service", "pod/a/b/u/c/0",
        "pod/a/b/u/c@2/0", "file/a@2", "proc/7-9", "sched/a/b@2", "container", ""}) {
    EXPECT_EQ(run_of_flow(id).first, id);
    EXPECT_EQ(run_of_flow(id).number, 1U) << id;
  }
}

TEST(ContainerRuns, ACgroupIsARun) {
  ContainerRuns runs;
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 7, .started = 100}), kFirst);
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 7, .started = 100}), kFirst) << "its other output";
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 9, .started = 200}), kFirst + "@2");
  EXPECT_EQ(runs.take("container/other-c55c4ecf3deb", {.cgroup = 10}), "container/other-c55c4ecf3deb");
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 11, .started = 300}), kFirst + "@3");
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 9}), kFirst + "@2");
  EXPECT_EQ(runs.take(kFirst, {}), kFirst + "@3") << "nobody knows which, so the newest";
  EXPECT_EQ(runs.take("container/unknown", {}), "container/unknown");
  EXPECT_EQ(runs.take("container/unknown", {.cgroup = 5}), "container/unknown") << "no run was named before";
}

TEST(ContainerRuns, GoOnFromWhatAnEarlierServiceHasNamed) {
  ContainerRuns runs;
  runs.learn(kFirst + "@2", {.cgroup = 9, .started = 200});
  runs.learn(kFirst, {});
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 9}), kFirst + "@2") << "it still runs";
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 11}), kFirst + "@3");
  // An older build has told runs not apart, and does not say whose the flow is.
  ContainerRuns older;
  older.learn(kFirst, {});
  EXPECT_EQ(older.take(kFirst, {.cgroup = 9}), kFirst + "@2");
  // Of a run that nothing else is left of, only its end is known.
  ContainerRuns ended;
  ended.learn(kFirst + "@5", {.started = 700});
  ended.learn(kFirst + "@5", {.cgroup = 3, .started = 600});
  EXPECT_EQ(ended.span(kFirst + "@5"), (RunSpan{.from = 600}));
  EXPECT_EQ(ended.take(kFirst, {.cgroup = 9}), kFirst + "@6");
}

TEST(ContainerRuns, EndWhereTheNextOneBegins) {
  ContainerRuns runs;
  EXPECT_EQ(runs.span(kFirst), RunSpan{}) << "of a container of which nobody has seen a run, all is meant";
  EXPECT_EQ(runs.at(kFirst, 50), kFirst);
  (void)runs.take(kFirst, {.cgroup = 1, .started = 100});
  (void)runs.take(kFirst, {.cgroup = 2});
  (void)runs.take(kFirst, {.cgroup = 3, .started = 300});
  EXPECT_EQ(runs.span(kFirst), (RunSpan{.from = 100, .to = 300}));
  EXPECT_EQ(runs.span(kFirst + "@2"), (RunSpan{.from = 0, .to = 300})) << "its start is not known";
  (void)runs.take(kFirst, {.cgroup = 2, .started = 200});
  EXPECT_EQ(runs.span(kFirst + "@2"), (RunSpan{.from = 200, .to = 300}))
      << "what is within it was named first";
  EXPECT_EQ(runs.span(kFirst + "@3"), (RunSpan{.from = 300}));
  EXPECT_FALSE(runs.span(kFirst + "@4")) << "nobody knows which lines are its";
  EXPECT_EQ(runs.at(kFirst, 301), kFirst + "@3");
  EXPECT_EQ(runs.at(kFirst, 299), kFirst + "@2");
  EXPECT_EQ(runs.span("pod/a/b/u/c/0"), RunSpan{});
}

TEST(ContainerRuns, AreForgottenWithTheirFlowsAndGiveNoNumberAgain) {
  ContainerRuns runs;
  for (const std::uint64_t cgroup : {1U, 2U, 3U}) (void)runs.take(kFirst, {.cgroup = cgroup});
  (void)runs.take("container/gone-c55c4ecf3deb", {.cgroup = 4});
  const auto is_second = [](const std::string& flow) { return flow == kFirst + "@2"; };
  runs.forget(is_second, 0);
  EXPECT_EQ(runs.size(), 4U) << "their names may be on their way";
  runs.forget(is_second, wall_ns() + 1'000'000'000);
  EXPECT_EQ(runs.size(), 1U);
  EXPECT_FALSE(runs.span(kFirst));
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 5}), kFirst + "@4");
  EXPECT_EQ(runs.take("container/gone-c55c4ecf3deb", {.cgroup = 6}), "container/gone-c55c4ecf3deb");
}

}  // namespace
}  // namespace flowtap::identity
