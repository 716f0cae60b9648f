// When a reload starts the telemetry anew, and when it goes on.
#include "telemetry/telemetry_component.hpp"

#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

class NoCounting final : public UsageCounting {
 public:
  [[nodiscard]] bool changes() const override { return changing; }
  [[nodiscard]] Result<std::unique_ptr<stats::UsageSource>> usage() override {
    ++asked;
    return nullptr;
  }
  [[nodiscard]] identity::UsageHierarchy hierarchy() const override { return {}; }
  [[nodiscard]] const std::string& why_no_cycles() const override { return why_; }

  bool changing = false;
  int asked = 0;  // once for each start of the telemetry

 private:
  std::string why_;
};

struct Node {
  Node() {
    tree.file("proc/stat", "cpu 1 1 1 1 1 1 1 1 1 1\n");
    component.run();
  }
  /// As App does it.
  void reload(const TelemetryOptions& next) {
    options = next;
    component.let_go();
    counting.changing = false;
    component.reload();
  }
  [[nodiscard]] bool told() const { return !component.health().all().empty(); }

  test::FileTree tree;
  Shared shared{.host_root = tree.root(),
                .state_dir = {},
                .registry = stats::Registry(10'000, std::chrono::system_clock::now())};
  TelemetryOptions options;
  std::string compat_metrics;
  NoCounting counting;
  TelemetryComponent component{shared,
                               options,
                               compat_metrics,
                               {},
                               counting,
                               std::make_shared<NamedContainers>(),
                               std::make_shared<WorkloadLogs>()};
};

TEST(TelemetryComponent, GoesOnWhereNothingIsNew) {
  Node node;
  node.reload(node.options);
  EXPECT_EQ(node.counting.asked, 1);
  EXPECT_TRUE(node.told()) << "a reload has forgotten what runs";
}

TEST(TelemetryComponent, BeginsAnewUnderOtherOptionsOnce) {
  Node node;
  TelemetryOptions next;
  next.keep = std::chrono::minutes(1);
  node.reload(next);
  EXPECT_EQ(node.counting.asked, 2);
  node.reload(next);
  EXPECT_EQ(node.counting.asked, 2);
}

// Only cAdvisor's names need what is read beside the workloads.
TEST(TelemetryComponent, BeginsAnewWhenCadvisorsNamesAreAskedFor) {
  Node node;
  node.compat_metrics = "node,kepler";
  node.reload(node.options);
  EXPECT_EQ(node.counting.asked, 1);
  node.compat_metrics = "node,cadvisor";
  node.reload(node.options);
  EXPECT_EQ(node.counting.asked, 2);
  node.reload(node.options);
  EXPECT_EQ(node.counting.asked, 2);
}

TEST(TelemetryComponent, BeginsAnewWithWhatCounts) {
  Node node;
  node.counting.changing = true;
  node.reload(node.options);
  EXPECT_EQ(node.counting.asked, 2);
}

TEST(TelemetryComponent, EndsAndComesBack) {
  Node node;
  TelemetryOptions off;
  off.enabled = false;
  node.reload(off);
  EXPECT_EQ(node.counting.asked, 1);
  EXPECT_FALSE(node.told());
  EXPECT_FALSE(node.component.earlier().measured);
  node.reload({});
  EXPECT_EQ(node.counting.asked, 2);
  EXPECT_TRUE(node.told());
}

// Before any component opens, and also where the telemetry does not run. Times are ns since 1970.
TEST(TelemetryComponent, RunsThatAreKnownToHaveEndedKeepTheirNumbers) {
  test::FileTree tree;
  tree.file(
      "state/ends",
      "flowtap-ends 1\n"
      "container=again kind=container ended=700 id=c55c flow=container/again-c55c@4 status=0 process=a\n");
  Shared shared{.host_root = tree.root(),
                .state_dir = tree.root() + "/state",
                .registry = stats::Registry(10'000, std::chrono::system_clock::now())};
  TelemetryOptions off;
  off.enabled = false;
  const std::string compat_metrics;
  NoCounting counting;
  const auto named = std::make_shared<NamedContainers>();
  {
    const TelemetryComponent component(shared, off, compat_metrics, {}, counting, named,
                                       std::make_shared<WorkloadLogs>());
    EXPECT_EQ(named->runs().take("container/again-c55c", {.cgroup = 9, .started = 800}),
              "container/again-c55c@5");
  }
  EXPECT_EQ(named->runs().take("container/other-c55d", {.cgroup = 10}), "container/other-c55d");
}

}  // namespace
}  // namespace flowtap
