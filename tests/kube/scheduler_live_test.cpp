// What flowtapd makes of a real kube-scheduler's log, compared with what the API server says of each pod, and with its events.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "tests/kube/cluster.hpp"
#include "tests/kube/pod_truth.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

const std::string kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kGpu = "nvidia.com/gpu";

/// How the scheduler logs, and where its log goes.
struct LogKind {
  const char* name;
  bool to_pipe;  // of a container, as kubelet runs it; else into a file, as a service does
  bool json;
  int level;
};

class SchedulerLive : public testing::TestWithParam<LogKind> {
 protected:
  SchedulerLive() : cluster_(root_) {
    for (const char* node : {"n1", "n2"}) cluster_.add_node(node, {{"cpu", "4"}, {"memory", "8Gi"}});
    cluster_.add_node("g1", {{"cpu", "4"}, {"memory", "8Gi"}, {kGpu, "2"}}, {{"class", "gpu"}});
    cluster_.add_node("t1", {{"cpu", "64"}, {"memory", "256Gi"}}, {{"class", "tainted"}},
                      {{{"key", "dedicated"}, {"value", "ml"}, {"effect", "NoSchedule"}}});
    nodes_ = 4;
    for (const auto& [name, value] : {std::pair{"low", 10}, std::pair{"high", 1000}})
      cluster_.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                      {{"metadata", {{"name", name}}}, {"value", value}});
    start_daemon();
    start_scheduler();
  }

  // Whether the scheduler logs what it says at this level.
  [[nodiscard]] static bool logs(int level) { return GetParam().level >= level; }

  void add_pod(const std::string& name, const json::object& requests, json::object spec = {}) {
    spec["containers"] = json::array{
        {{"name", "main"}, {"image", "none"}, {"resources", {{"requests", requests}, {"limits", requests}}}}};
    cluster_.create(kPods, {{"metadata", {{"name", name}}}, {"spec", spec}});
  }
  void remove_pod(const std::string& name) { cluster_.remove(kPods + '/' + name); }

  [[nodiscard]] json::value answer(const std::string& pod) const {
    const auto got =
        get_unix(daemon_->socket(), "/api/v1/namespaces/default/pods/" + pod + "/schedulerlog?evidence=true");
    json::error_code error;
    return got.status == 200 ? json::parse(got.body, error) : json::value();
  }

  /// Waits until the API server says this of the pod: it is bound ("bound"), or the reason of its condition; "": the pod is gone.
  void wait_for(const std::string& pod, const std::string& word) {
    PodTruth truth;
    EXPECT_TRUE(eventually([&] {
      truth = truth_of(cluster_, pod);
      return word == (truth.node.empty() ? truth.reason : "bound") && truth.exists == !word.empty();
    })) << pod
        << " is not " << word << ": " << truth.reason << ' ' << truth.message;
  }
  /// Both sides change meanwhile, since the scheduler tries again.
  void expect_same(const std::string& pod) {
    SCOPED_TRACE(pod);
    PodTruth truth;
    json::value diagnosis;
    (void)eventually([&] {
      truth = truth_of(cluster_, pod);
      diagnosis = answer(pod);
      return told(truth, diagnosis) == wanted(truth);
    });
    EXPECT_TRUE(told(truth, diagnosis) == wanted(truth))
        << "told:   " << json::serialize(told(truth, diagnosis))
        << "\nwanted: " << json::serialize(wanted(truth)) << '\n'
        << json::serialize(diagnosis);
    if (truth.exists && truth.node.empty()) expect_counts(diagnosis);
  }
  // The nodes that are named and those that are only counted are all that there are.
  void expect_counts(const json::value& answer) const {
    const auto diagnosis = diagnosis::diagnosis_from_json(json::serialize(answer));
    ASSERT_TRUE(diagnosis) << json::serialize(answer);
    if (!diagnosis->filter.summary.starts_with("0/")) return;
    EXPECT_EQ(diagnosis::failed_nodes(*diagnosis).nodes, nodes_) << json::serialize(answer);
  }
  void expect(const std::string& pod, const std::string& word) {
    wait_for(pod, word);
    expect_same(pod);
  }

  ScratchRoot root_;
  Cluster cluster_;
  std::size_t nodes_ = 0;
  std::unique_ptr<Daemon> daemon_;

  // containerd's containers outlive it.
  void TearDown() override {
    if (!containerd_ || !scheduler_) return;
    containerd_->kill(container_id(test_name()));
    EXPECT_TRUE(scheduler_->wait());
  }

 private:
  // The tests of one process have containers of their own, since these end a moment later than their tests.
  static std::string test_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  void start_daemon() {
    DaemonOptions options = kCapturing;
    if (!GetParam().to_pipe) {
      fs::create_directories(root_.file("log"));
      options.sources = "files: [/log/scheduler.log], schedulers: [file/log/scheduler.log]";
    } else {
      containerd_ = std::make_unique<Containerd>(root_);
    }
    daemon_ = std::make_unique<Daemon>(root_, options);
    daemon_->wait_ready();
  }
  void start_scheduler() {
    const std::string folder = GetParam().to_pipe ? root_.file("busybox/kube") : root_.file("kube");
    auto words = cluster_.scheduler_words(folder, GetParam().to_pipe ? "/kube" : folder);
    words.push_back("-v=" + std::to_string(GetParam().level));
    if (GetParam().json) words.push_back("--logging-format=json");
    words.insert(words.begin(), GetParam().to_pipe ? "/kube/control_plane" : Cluster::program());
    if (!GetParam().to_pipe) {
      scheduler_ = std::make_unique<Process>(
          Command{.argv = words, .out = root_.file("scheduler.out"), .err = root_.file("log/scheduler.log")});
      return;
    }
    fs::copy_file(Cluster::program(), folder + "/control_plane");
    scheduler_ = containerd_->start(
        {.id = container_id(test_name()),
         .command = words,
         .annotations = cri_annotations("kube-system", "kube-scheduler-node1", kPod, "kube-scheduler")});
  }

  std::unique_ptr<Containerd> containerd_;
  std::unique_ptr<Process> scheduler_;
};

// One test, since the control plane takes longer to start than all of this.
TEST_P(SchedulerLive, EachAnswerIsWhatTheApiServerSays) {
  cluster_.create("/api/v1/namespaces/default/persistentvolumeclaims",
                  {{"metadata", {{"name", "waits"}}},
                   {"spec",
                    {{"accessModes", {"ReadWriteOnce"}},
                     {"storageClassName", "none"},
                     {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  add_pod("fits", {{"cpu", "100m"}});
  add_pod("gpu-fits", {{"cpu", "100m"}, {kGpu, "1"}});
  add_pod("gpu-lacks", {{"cpu", "100m"}, {kGpu, "8"}});
  add_pod("cpu-lacks", {{"cpu", "16"}});
  add_pod("cpu-and-memory-lack", {{"cpu", "16"}, {"memory", "64Gi"}});
  add_pod("tainted-away", {{"cpu", "100m"}}, {{"nodeSelector", {{"class", "tainted"}}}});
  add_pod("tolerates", {{"cpu", "100m"}},
          {{"nodeSelector", {{"class", "tainted"}}},
           {"tolerations", {{{"key", "dedicated"}, {"operator", "Exists"}}}}});
  add_pod("selects-none", {{"cpu", "100m"}}, {{"nodeSelector", {{"class", "none"}}}});
  add_pod("volume-missing", {{"cpu", "100m"}},
          {{"volumes", {{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "nowhere"}}}}}}});
  add_pod("far-from-friends", {{"cpu", "100m"}},
          {{"affinity",
            {{"podAffinity",
              {{"requiredDuringSchedulingIgnoredDuringExecution",
                {{{"topologyKey", "kubernetes.io/hostname"},
                  {"labelSelector", {{"matchLabels", {{"app", "nobody"}}}}}}}}}}}}});
  add_pod("unbound", {{"cpu", "100m"}},
          {{"volumes", {{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "waits"}}}}}}});
  add_pod("spread", {{"cpu", "100m"}},
          {{"topologySpreadConstraints",
            {{{"maxSkew", 1},
              {"topologyKey", "nowhere"},
              {"whenUnsatisfiable", "DoNotSchedule"},
              {"labelSelector", {{"matchLabels", {{"app", "nobody"}}}}}}}}});
  add_pod("cpu-and-gpu-lack", {{"cpu", "100"}, {kGpu, "8"}});
  for (const char* pod : {"fits", "gpu-fits", "tolerates"}) expect(pod, "bound");
  for (const char* pod :
       {"unbound", "spread", "cpu-and-gpu-lack", "gpu-lacks", "cpu-lacks", "cpu-and-memory-lack",
        "tainted-away", "selects-none", "volume-missing", "far-from-friends"})
    expect(pod, "Unschedulable");

  // A gate, and what is after it.
  add_pod("gated", {{"cpu", "100m"}}, {{"schedulingGates", {{{"name", "example.com/quota"}}}}});
  wait_for("gated", "SchedulingGated");
  if (logs(4)) expect_same("gated");
  cluster_.patch(kPods + "/gated", {{"spec", {{"schedulingGates", json::array()}}}});
  expect("gated", "bound");

  // The same by another plugin.
  add_pod("claim", {{"cpu", "100m"}},
          {{"resourceClaims", {{{"name", "c"}, {"resourceClaimName", "nowhere"}}}}});
  if (logs(4)) {
    EXPECT_TRUE(eventually([this] {
      const json::value found = answer("claim");
      return found.is_object() && found.get_object().contains("lifecycle") &&
             found.at_pointer("/lifecycle/held/0/plugin") == "DynamicResources";
    })) << json::serialize(answer("claim"));
    expect_same("claim");
  }

  // A node that comes later.
  add_pod("waits-for-a-node", {{"cpu", "100m"}}, {{"nodeSelector", {{"class", "late"}}}});
  expect("waits-for-a-node", "Unschedulable");
  cluster_.add_node("l1", {{"cpu", "4"}, {"memory", "8Gi"}}, {{"class", "late"}});
  ++nodes_;
  expect("waits-for-a-node", "bound");
}

TEST_P(SchedulerLive, APodMakesRoomForAnother) {
  const json::object on_n1{{"kubernetes.io/hostname", "n1"}};
  add_pod("victim", {{"cpu", "3"}}, {{"nodeSelector", on_n1}, {"priorityClassName", "low"}});
  expect("victim", "bound");
  add_pod("never", {{"cpu", "3"}}, {{"nodeSelector", on_n1}, {"priorityClassName", "low"}});
  expect("never", "Unschedulable");
  // Nobody ends the victim, so it stays until it is removed.
  add_pod("preemptor", {{"cpu", "3"}}, {{"nodeSelector", on_n1}, {"priorityClassName", "high"}});
  PodTruth truth;
  ASSERT_TRUE(eventually([&] {
    truth = truth_of(cluster_, "preemptor");
    return truth.nominated == "n1" && !truth_of(cluster_, "victim").preempted_by.empty();
  }));
  expect_same("preemptor");
  EXPECT_EQ(truth_of(cluster_, "victim").preempted_by, truth.uid);
  expect_same("victim");
  EXPECT_EQ(answer("victim").at_pointer("/lifecycle/preempted/by"), "default/preemptor");
  EXPECT_EQ(answer("preemptor").at_pointer("/filter/victims"), json::array{"default/victim"});
  remove_pod("victim");
  expect("preemptor", "bound");
  expect_same("victim");
  EXPECT_EQ(answer("preemptor").at_pointer("/filter/victims"), json::array{"default/victim"});
  expect("never", "Unschedulable");
}

// Room is made on one node, and then another one is free; or nobody needs it any more.
TEST_P(SchedulerLive, RoomThatIsMadeForNothing) {
  for (const char* node : {"n1", "n2", "g1"})
    add_pod(std::string("low-") + node, {{"cpu", "3"}},
            {{"nodeSelector", {{"kubernetes.io/hostname", node}}}, {"priorityClassName", "low"}});
  for (const char* pod : {"low-n1", "low-n2", "low-g1"}) expect(pod, "bound");
  const auto nominated = [this](const std::string& pod) {
    PodTruth truth;
    EXPECT_TRUE(eventually([&] { return !(truth = truth_of(cluster_, pod)).nominated.empty(); })) << pod;
    return truth.nominated;
  };
  add_pod("elsewhere", {{"cpu", "3"}}, {{"priorityClassName", "high"}});
  const std::string first = nominated("elsewhere");
  expect_same("elsewhere");
  add_pod("given-up", {{"cpu", "3"}}, {{"priorityClassName", "high"}});
  EXPECT_NE(nominated("given-up"), first);
  expect_same("given-up");
  remove_pod("given-up");
  wait_for("given-up", "");
  if (logs(3)) expect_same("given-up");
  cluster_.add_node("z1", {{"cpu", "4"}, {"memory", "8Gi"}});
  ++nodes_;
  expect("elsewhere", "bound");
  EXPECT_NE(truth_of(cluster_, "elsewhere").node, first);
  expect_same("low-" + first);
  EXPECT_EQ(answer("elsewhere").at_pointer("/filter/victims"), json::array{"default/low-" + first});
}

TEST_P(SchedulerLive, PodsAreDeletedAndMadeAgain) {
  const json::object small{{"cpu", "100m"}};
  const json::object large{{"cpu", "100"}};
  // While it waits.
  add_pod("again", large);
  expect("again", "Unschedulable");
  remove_pod("again");
  wait_for("again", "");
  if (logs(3)) expect_same("again");
  add_pod("again", small);
  expect("again", "bound");
  // After it was bound.
  remove_pod("again");
  wait_for("again", "");
  if (logs(3)) expect_same("again");
  add_pod("again", large);
  expect("again", "Unschedulable");
  // Before it was tried at all.
  add_pod("hidden", small, {{"schedulingGates", {{{"name", "example.com/quota"}}}}});
  wait_for("hidden", "SchedulingGated");
  remove_pod("hidden");
  wait_for("hidden", "");
  if (logs(4)) expect_same("hidden");
  // Bound by somebody else while it waits.
  add_pod("taken", large);
  expect("taken", "Unschedulable");
  cluster_.create(kPods + "/taken/binding",
                  {{"apiVersion", "v1"},
                   {"kind", "Binding"},
                   {"metadata", {{"name", "taken"}}},
                   {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "n2"}}}});
  wait_for("taken", "bound");
  if (logs(3)) expect_same("taken");
  // Many pods at once; every second one is gone before its turn.
  for (int i = 0; i < 20; ++i) add_pod("crowd-" + std::to_string(i), i % 4 < 2 ? large : small);
  for (int i = 0; i < 20; i += 2) remove_pod("crowd-" + std::to_string(i));
  for (int i = 1; i < 20; i += 2) expect("crowd-" + std::to_string(i), i % 4 < 2 ? "Unschedulable" : "bound");
}

INSTANTIATE_TEST_SUITE_P(
    Logs, SchedulerLive,
    testing::Values(LogKind{.name = "FileV5", .to_pipe = false, .json = false, .level = 5},
                    LogKind{.name = "PipeJsonV4", .to_pipe = true, .json = true, .level = 4},
                    LogKind{.name = "FileV2", .to_pipe = false, .json = false, .level = 2}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace flowtap::test
