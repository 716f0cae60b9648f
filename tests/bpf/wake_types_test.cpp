// The types of wake-ups, each made on purpose and without any other, on a machine with 2 NUMA nodes of 2 cache domains
// of 2 CPUs each, like that of vmtest/run --topology numa-llc: node 0 with caches {0,1} {2,3}, node 1 with {4,5} {6,7}.
//
// Priorities make the order on the CPUs certain (tests/bpf/stage.hpp). The sleeper may use two CPUs and never one, as
// it would be pinned otherwise; all other tasks are pinned.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>

#include "tests/bpf/count_crew.hpp"
#include "tests/bpf/stage.hpp"

namespace flowtap::test {
namespace {

constexpr std::uint64_t kRounds = 60;

struct Scene {
  const char* name;
  std::size_t type;
  int previous;     ///< where the sleeper ran last
  Cpus allowed;     ///< where it may run when it is woken; it is queued on the first
  Cpus held;        ///< CPUs that hogs keep
  int hogs = kHog;  ///< their priority
};

std::ostream& operator<<(std::ostream& out, const Scene& scene) {
  return out << scene.name;
}

void play(Hands& hands, const Scene& scene) {
  allow(0, {kDirector});
  Actor sleeper(hands, {scene.previous}, kSleeper);
  std::vector<std::unique_ptr<Actor>> hogs;
  for (const int cpu : scene.held) hogs.push_back(std::make_unique<Actor>(hands, Cpus{cpu}, scene.hogs));
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    sleeper.visit(scene.previous);
    for (const auto& hog : hogs) hog->hold();
    sleeper.allow(scene.allowed);
    sleeper.cue();
    // They go one by one, since an idle CPU would pull the sleeper over.
    if (!hogs.empty() && scene.hogs > kSleeper) hogs.front()->let_go();
    sleeper.rest();
    for (const auto& hog : hogs) hog->let_go();
    for (const auto& hog : hogs) hog->rest();
  }
  sleeper.leave();
  for (const auto& hog : hogs) hog->leave();
  hands.wait();
}

class WakeType : public testing::TestWithParam<Scene> {
 protected:
  static void SetUpTestSuite() { no_throttling(); }
};

TEST_P(WakeType, IsMadeAlone) {
  const Scene& scene = GetParam();
  expect_alone(count_crew([&scene](Hands& hands) { play(hands, scene); }), scene.type, kRounds);
}

INSTANTIATE_TEST_SUITE_P(, WakeType,
                         testing::Values(Scene{"prev_idle", FTAP_SLOT_PREV_IDLE, 0, {0, 1}, {}},
                                         Scene{"idle_llc", FTAP_SLOT_IDLE_LLC, 0, {1, 2}, {}},
                                         Scene{"idle_node", FTAP_SLOT_IDLE_NODE, 0, {2, 3}, {}},
                                         Scene{"idle_xnuma", FTAP_SLOT_IDLE_XNUMA, 0, {4, 5}, {}},
                                         Scene{"wake_preempt", FTAP_SLOT_WAKE_PREEMPT, 0, {0, 1}, {0}, kFair},
                                         Scene{"queued", FTAP_SLOT_QUEUED, 0, {0, 1}, {0, 1}},
                                         Scene{"queued_llc", FTAP_SLOT_QUEUED_LLC, 0, {1, 2}, {1, 2}},
                                         Scene{"queued_node", FTAP_SLOT_QUEUED_NODE, 0, {2, 3}, {2, 3}},
                                         Scene{"queued_xnuma", FTAP_SLOT_QUEUED_XNUMA, 0, {4, 5}, {4, 5}}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace flowtap::test
