// The telemetry of a node that has next to nothing.
#include "telemetry/telemetry_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

using test::FileTree;

class NoUsage final : public stats::UsageSource {
 public:
  [[nodiscard]] bool take_events(const std::function<void(stats::CgroupEvent)>& /*take*/) override {
    return true;
  }
  [[nodiscard]] Result<std::vector<stats::NumberedCgroup>> numbered() override { return {}; }
  [[nodiscard]] stats::GroupUsage read(std::uint32_t /*group*/) const override { return {}; }
  [[nodiscard]] stats::GroupUsage release(const stats::NumberedCgroup& /*cgroup*/) override { return {}; }
  [[nodiscard]] stats::GroupUsage unnumbered() const override { return {}; }
};

// On most machines the library does not exist; where it does, the line says something else about it.
TEST(TelemetryPath, ANodeWithoutGpusIsHealthyAndSaysSoInOneLine) {
  FileTree tree;
  tree.file("proc/stat", "cpu 1 1 1 1 1 1 1 1 1 1\n").file("sys/class/drm/version", "drm\n");
  const auto path = TelemetryPath::start({}, std::make_unique<NoUsage>(),
                                         {.host_root = tree.root(),
                                          .named = std::make_shared<NamedContainers>(),
                                          .logs = std::make_shared<WorkloadLogs>(),
                                          .ends = std::make_shared<telemetry::ContainerEnds>()});
  EXPECT_EQ(path->how().find("GPU"), std::string::npos) << "nobody has looked yet";
  ReadErrors errors;
  path->collect(errors);
  EXPECT_TRUE(path->health()) << path->health().error().what;
  EXPECT_THAT(path->how(),
              testing::ContainsRegex("devices_nvidia, devices_amd, devices_intel.*; GPU: [^\n]+$"));
  for (const char* collector : {"devices_nvidia", "devices_amd", "devices_intel"})
    EXPECT_EQ(errors.at(collector), 0U) << collector;
}

TEST(TelemetryPath, SaysWhenV1TellsWorkloadsApart) {
  FileTree tree;
  tree.file("proc/stat", "cpu 1 1 1 1 1 1 1 1 1 1\n").file("sys/fs/cgroup/cpuacct/cpuacct.stat", "");
  const auto how = [&](identity::UsageHierarchy hierarchy) {
    return TelemetryPath::start({}, std::make_unique<NoUsage>(),
                                {.host_root = tree.root(),
                                 .named = std::make_shared<NamedContainers>(),
                                 .logs = std::make_shared<WorkloadLogs>(),
                                 .ends = std::make_shared<telemetry::ContainerEnds>(),
                                 .hierarchy = std::move(hierarchy)})
        ->how();
  };
  constexpr const char* kSaid = "; workloads by cgroup v1 (cpuacct)";
  EXPECT_THAT(how({.place = tree.root() + "/sys/fs/cgroup/cpuacct", .id = 5}), testing::HasSubstr(kSaid));
  EXPECT_THAT(how({}), testing::Not(testing::HasSubstr(kSaid)));
}

}  // namespace
}  // namespace flowtap
