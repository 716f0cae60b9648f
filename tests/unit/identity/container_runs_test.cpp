#include "identity/container_runs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  EXPECT_EQ(runs.take(kFirst, {.process = 1}), kFirst + "@3") << "alike";
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
  older.learn(kFirst, {}, 100);
  EXPECT_EQ(older.take(kFirst, {.cgroup = 9}), kFirst + "@2");
  // It has listed a run that wrote nothing which could be captured.
  ContainerRuns silent;
  silent.learn(kFirst, {});
  EXPECT_EQ(silent.take(kFirst, {.cgroup = 9, .started = 500}), kFirst) << "it is not listed again";
  EXPECT_EQ(silent.take(kFirst, {.cgroup = 11, .started = 600}), kFirst + "@2");
  ContainerRuns twice;
  twice.learn(kFirst + "@5", {.started = 700});
  twice.learn(kFirst + "@5", {.cgroup = 3, .started = 600});
  EXPECT_EQ(twice.span(kFirst + "@5"), (RunSpan{.from = 600}));
  EXPECT_EQ(twice.take(kFirst, {.cgroup = 9}), kFirst + "@6");
}

// A runtime may make a cgroup below the container's, and only that one is known if the path could not be read at first.
TEST(ContainerRuns, AProcessIsOfOneRunInWhicheverCgroupItIsSeen) {
  ContainerRuns runs;
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 8, .started = 100, .process = 5}), kFirst)
      << "below the container's";
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 7, .started = 101, .process = 5}), kFirst) << "the container's";
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 8, .started = 150, .process = 6}), kFirst)
      << "another process there";
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 7, .started = 150, .process = 6}), kFirst);
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 9, .started = 200, .process = 7}), kFirst + "@2");
  EXPECT_EQ(runs.take(kFirst, {.process = 5}), kFirst) << "its cgroup is not known, and whose it is";
  EXPECT_EQ(runs.size(), 2U);
  // One output's name has the one cgroup, and the other's the other one.
  ContainerRuns later;
  for (const std::uint64_t cgroup : {8U, 7U}) later.learn(kFirst, {.cgroup = cgroup, .started = 100}, 120);
  later.learn(kFirst + "@2", {.cgroup = 9, .started = 200});
  for (const std::uint64_t cgroup : {8U, 7U}) EXPECT_EQ(later.take(kFirst, {.cgroup = cgroup}), kFirst);
}

// An end may be all that is left of a run, and its number is no other run's.
class EndedRuns : public testing::Test {
 protected:
  EndedRuns() {
    runs_.know_ends([this](std::string_view first) {
      EXPECT_EQ(first, kFirst);
      ++asked_;
      return ends_;
    });
  }
  std::vector<RunEnd> ends_{{kFirst + "@5", 700}};
  int asked_ = 0;
  ContainerRuns runs_;
};

TEST_F(EndedRuns, KeepTheirNumbers) {
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 9, .started = 800}), kFirst + "@6");
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 10, .started = 900}), kFirst + "@7");
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(runs_.span(kFirst + "@6"), (RunSpan{.from = 800, .to = 900}));
  EXPECT_FALSE(runs_.span(kFirst + "@5")) << "nobody knows when it began";
  EXPECT_FALSE(runs_.span(kFirst));
}

// After a reboot, for example: the runtime still has what the container wrote.
TEST_F(EndedRuns, OfWhichThereWasOnlyOneTakeAllThatTheRuntimeHas) {
  ends_ = {{kFirst, 700}};
  EXPECT_EQ(runs_.span(kFirst), RunSpan{});
  EXPECT_FALSE(runs_.span(kFirst + "@2"));
}

TEST_F(EndedRuns, KeepTheirNumbersWhereOnlyAnEarlierFlowIsLeft) {
  runs_.learn(kFirst + "@3", {.cgroup = 3, .started = 300}, 350);
  EXPECT_EQ(runs_.span(kFirst + "@3")->from, 300U);
  EXPECT_LT(runs_.span(kFirst + "@3")->to, RunSpan{}.to) << "two runs came later";
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 9, .started = 800}), kFirst + "@6");
}

TEST_F(EndedRuns, KeepTheirNumbersWhenTheyAreForgotten) {
  ends_.clear();
  for (const std::uint64_t cgroup : {1U, 2U})
    (void)runs_.take(kFirst, {.cgroup = cgroup, .started = 100 * cgroup});
  runs_.forget([](const std::string&) { return false; }, wall_ns() + 1'000'000'000);
  EXPECT_EQ(runs_.size(), 0U);
  ends_ = {{kFirst + "@2", 250}};
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 3, .started = 300}), kFirst + "@3");
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 1}), kFirst + "@4") << "nothing of the first one is known any more";
}

TEST_F(EndedRuns, MayHaveEndedBeforeTheyWereNamed) {
  ends_ = {{kFirst, 700}};
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 9, .started = 600}), kFirst) << "it is this one's end";
  EXPECT_EQ(runs_.take(kFirst, {.cgroup = 10, .started = 800}), kFirst + "@2");
}

TEST_F(EndedRuns, AreAskedForOnce) {
  ends_.clear();
  for (const std::uint64_t cgroup : {1U, 2U, 2U}) (void)runs_.take(kFirst, {.cgroup = cgroup});
  EXPECT_EQ(asked_, 1);
}

TEST_F(EndedRuns, AreNotTakenForOneOfWhichTheCgroupIsNotKnown) {
  EXPECT_EQ(runs_.take(kFirst, {}), kFirst + "@5") << "the newest";
}

TEST(ContainerRuns, EndWhereTheNextOneBegins) {
  ContainerRuns runs;
  EXPECT_EQ(runs.span(kFirst), RunSpan{}) << "of a container of which nobody has seen a run, all is meant";
  EXPECT_EQ(runs.at(kFirst, 50), kFirst);
  (void)runs.take(kFirst, {.cgroup = 1, .started = 100});
  (void)runs.take(kFirst, {.cgroup = 2});
  (void)runs.take(kFirst, {.cgroup = 3, .started = 300});
  EXPECT_FALSE(runs.span(kFirst + "@2")) << "its start is not known, and what is before is the first one's";
  EXPECT_FALSE(runs.span(kFirst)) << "nor is where this one ends";
  EXPECT_EQ(runs.at(kFirst, 299), kFirst);
  EXPECT_EQ(runs.at(kFirst, 300), kFirst + "@3");
  (void)runs.take(kFirst, {.cgroup = 2, .started = 200});
  EXPECT_EQ(runs.span(kFirst + "@2"), (RunSpan{.from = 200, .to = 300}))
      << "what is within it was named first";
  EXPECT_EQ(runs.span(kFirst), (RunSpan{.from = 100, .to = 200}));
  EXPECT_EQ(runs.span(kFirst + "@3"), (RunSpan{.from = 300}));
  EXPECT_FALSE(runs.span(kFirst + "@4")) << "nobody knows which lines are its";
  EXPECT_EQ(runs.at(kFirst, 301), kFirst + "@3");
  EXPECT_EQ(runs.at(kFirst, 299), kFirst + "@2");
  EXPECT_EQ(runs.span("pod/a/b/u/c/0"), RunSpan{});
}

TEST(ContainerRuns, OfWhichNobodyKnowsTheStart) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  ContainerRuns runs;
  runs.learn(kFirst, {}, 10 * kSecond);
  EXPECT_EQ(runs.span(kFirst), RunSpan{}) << "what came before the first one that was seen is nobody's";
  runs.learn(kFirst + "@2", {}, 20 * kSecond);
  runs.learn(kFirst + "@4", {.started = 40 * kSecond}, 50 * kSecond);
  ASSERT_TRUE(runs.span(kFirst));
  EXPECT_TRUE(runs.span(kFirst)->has(10 * kSecond)) << "it has written then";
  EXPECT_FALSE(runs.span(kFirst)->has(11 * kSecond)) << "who knows";
  for (const char* run : {"@2", "@3"}) EXPECT_FALSE(runs.span(kFirst + run)) << run;
  EXPECT_EQ(runs.span(kFirst + "@4"), (RunSpan{.from = 40 * kSecond}));
  EXPECT_EQ(runs.at(kFirst, 5 * kSecond), kFirst);
  EXPECT_EQ(runs.at(kFirst, 20 * kSecond), kFirst + "@2") << "it has written then";
  EXPECT_EQ(runs.at(kFirst, 39 * kSecond), kFirst + "@2");
  EXPECT_EQ(runs.at(kFirst, 40 * kSecond), kFirst + "@4");
  (void)runs.take(kFirst, {.cgroup = 9});
  EXPECT_EQ(runs.at(kFirst, 90 * kSecond), kFirst + "@4") << "nobody knows of the newest";
}

// What is left of a run may be a flow of what is within it.
TEST(ContainerRuns, HaveTheirNumberAlsoWithinThem) {
  ContainerRuns runs;
  runs.learn("unit/user@7.service/box@2/inner@3/leaf", {.cgroup = 5});
  const std::string box = "unit/user@7.service/box";
  EXPECT_EQ(runs.take(box + "@2/inner@3/leaf", {.cgroup = 5}), box + "@2/inner@3/leaf");
  EXPECT_EQ(runs.take(box + "@2/inner", {.cgroup = 6}), box + "@2/inner@4");
  EXPECT_EQ(runs.take(box, {.cgroup = 7}), box + "@3");
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

TEST(ContainerRuns, AreForgottenAndTheOneBeforeStillEndsWhereTheyBegan) {
  ContainerRuns runs;
  for (const std::uint64_t cgroup : {1U, 2U, 3U, 4U})
    (void)runs.take(kFirst, {.cgroup = cgroup, .started = 100 * cgroup});
  const auto is_there = [](const std::string& flow) { return flow == kFirst || flow == kFirst + "@4"; };
  runs.forget(is_there, wall_ns() + 1'000'000'000);
  EXPECT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.span(kFirst), (RunSpan{.from = 100, .to = 200}));
}

// podman rename: the container keeps its id.
TEST(ContainerRuns, GoOnUnderAnotherName) {
  const std::string renamed = "container/new-name-c55c4ecf3dea";
  ContainerRuns runs;
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 1, .started = 100}), kFirst);
  EXPECT_EQ(runs.take(renamed, {.cgroup = 1, .started = 100}), kFirst) << "it is the same run";
  EXPECT_EQ(runs.take(renamed, {.cgroup = 2, .started = 200}), renamed + "@2");
  EXPECT_EQ(runs.span(kFirst), (RunSpan{.from = 100, .to = 200}));
  EXPECT_EQ(runs.span(renamed + "@2"), (RunSpan{.from = 200}));
  EXPECT_EQ(runs.take(kFirst, {.cgroup = 3, .started = 300}), kFirst + "@3") << "and back";
  EXPECT_EQ(runs.span(renamed + "@2"), (RunSpan{.from = 200, .to = 300}));
  EXPECT_EQ(runs.span(kFirst), (RunSpan{.from = 100, .to = 200}));
  EXPECT_EQ(runs.at(kFirst, 250), renamed + "@2");
  EXPECT_EQ(runs.at(renamed, 350), kFirst + "@3");
  EXPECT_EQ(runs.take("container/new-name-c55c4ecf3deb", {.cgroup = 4}), "container/new-name-c55c4ecf3deb")
      << "another container";
  // The next service learns what there is.
  ContainerRuns next;
  next.learn(renamed + "@2", {.cgroup = 2, .started = 200});
  next.learn(kFirst, {.cgroup = 1, .started = 100});
  EXPECT_EQ(next.span(kFirst), (RunSpan{.from = 100, .to = 200}));
  EXPECT_EQ(next.take(kFirst, {.cgroup = 3, .started = 300}), kFirst + "@3");
}

}  // namespace
}  // namespace flowtap::identity
