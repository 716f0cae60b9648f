// What a scheduler is called that is kube-scheduler with a profile or plugins of its own.
#include <gtest/gtest.h>

#include <string>

#include "kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

using namespace test::kube_scheduler;

const std::string kNone = no_fit("0/2 nodes are available: 2 Insufficient cpu.");
constexpr std::string_view kNumas = "the NUMA-aware scheduler";

std::string name_in(std::initializer_list<std::string_view> bodies) {
  DiagnosisStore store;
  test::read(store, test::log_of(bodies));
  return store.find("ns", "p").value_or(Diagnosis{}).scheduler;
}

std::string config(std::initializer_list<std::string_view> profiles) {
  std::string out = "\"Using component config\" config=<\n\tkind: KubeSchedulerConfiguration\n\tprofiles:\n";
  for (const std::string_view profile : profiles)
    out.append("\t- pluginConfig: []\n\t  schedulerName: ").append(profile).append(1, '\n');
  return out.append(" >");
}

TEST(SchedulerNames, AreThoseOfTheirProfiles) {
  EXPECT_EQ(name_in({kNone}), "kube-scheduler");
  EXPECT_EQ(name_in({config({"default-scheduler"}), kNone}), "kube-scheduler");
  EXPECT_EQ(name_in({config({"topo-aware-scheduler"}), kNone}), "topo-aware-scheduler");
  EXPECT_EQ(name_in({config({"default-scheduler", "topo-aware-scheduler"}), kNone}), "")
      << "nothing says which of them it was";
  EXPECT_EQ(name_in({config({"old"}), config({"new"}), kNone}), "new") << "it was started again";
}

TEST(SchedulerNames, AProfileInJson) {
  DiagnosisStore store;
  test::read(
      store,
      R"({"ts":1795224037000.5,"caller":"a.go:1","msg":"Using component config","v":2,"config":"profiles:\n)"
      R"(- schedulerName: topo-aware-scheduler\n"})"
      "\n"
      R"({"ts":1795224037001.5,"caller":"a.go:1","msg":"Unable to schedule pod; no fit; waiting",)"
      R"("pod":{"name":"p","namespace":"ns"},"err":"0/1 nodes are available: 1 x."})");
  EXPECT_EQ(store.find("ns", "p").value_or(Diagnosis{}).scheduler, "topo-aware-scheduler");
}

TEST(SchedulerNames, ThePluginTellsTheNumaAwareOne) {
  constexpr std::string_view kVerdict =
      R"("final verdict" logger="NodeResourceTopologyMatch" pod="ns/p" node="n1" suitable=false)";
  EXPECT_EQ(name_in({kBegin, kVerdict, kNone}), kNumas);
  EXPECT_EQ(name_in({no_fit("0/2 nodes are available: 2 cannot align container.")}), kNumas);
  EXPECT_EQ(name_in({kVerdict, kBegin, no_fit("0/2 nodes are available: 2 Insufficient cpu.")}), kNumas)
      << "what is in one log is of one scheduler";
  EXPECT_EQ(name_in({config({"topo"}), kVerdict, kNone}), "topo");
  EXPECT_EQ(name_in({config({"default-scheduler", "topo"}), kBegin, kVerdict, kNone}), kNumas);
}

// Informers tell each scheduler of every pod, and a scheduler may end another one's pods.
TEST(SchedulerNames, AnotherOnesWordNamesNoPods) {
  for (
      const char* const says :
      {R"("Add event for scheduled pod" pod="ns/p")", R"("Update event for scheduled pod" pod="ns/p")",
       R"("Delete event for scheduled pod" pod="ns/p")",
       R"("Preemptor Pod preempted victim Pod" preemptor="ns/hi" victim="ns/p" node="n1")",
       R"("Event occurred" object="ns/p" kind="Pod" reason="Preempted" message="Preempted by ns/hi on node n1")"}) {
    DiagnosisStore store;
    test::read(store, test::log_of({kBegin, kBound}));
    test::read(store, test::log_of({config({"gpu-scheduler"}), says}));
    EXPECT_EQ(store.find("ns", "p").value_or(Diagnosis{}).scheduler, "kube-scheduler") << says;
    DiagnosisStore alone;
    test::read(alone, test::log_of({config({"gpu-scheduler"}), says}));
    const auto found = alone.find("ns", "p");
    EXPECT_EQ(found ? found->scheduler : "", "") << says << ": nobody knows it";
  }
}

}  // namespace
}  // namespace flowtap::diagnosis
