// What flowtapd tells of a GPU, of the container that works on it, and of what that costs. A script plays libnvidia-ml.so.1.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/node/telemetry/energy_node.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/unit/telemetry/devices/fake_nvml.hpp"

namespace flowtap::test {
namespace {

Labels with(Labels labels, const Labels& more) {
  labels.insert(more.begin(), more.end());
  return labels;
}

const Labels kGpu{{"vendor", "nvidia"}, {"device", "0000:3b:00.0"}, {"uuid", "GPU-1"}};
const Labels kWhose{{"instance", ""}, {"kind", "container"}, {"namespace", ""},
                    {"pod", ""},      {"workload", ""},      {"container", std::string(12, 'e')}};

Labels dcgm() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size());
  return {{"gpu", "0"},
          {"UUID", "GPU-1"},
          {"device", "nvidia3"},
          {"pci_bus_id", "00000000:3B:00.0"},
          {"modelName", "NVIDIA H100 80GB HBM3"},
          {"hostname", host.data()}};
}

std::optional<double> value(const SeriesMap& page, const std::string& family, const Labels& labels) {
  const auto at = page.find(series_key(family, labels));
  return at == page.end() ? std::nullopt : std::optional(at->second);
}

TEST(Devices, AGpuAndTheContainerThatUsesIt) {
  FakeNvml nvml;
  const Spinner spinner;
  nvml.set("gpus", "1")
      .set("driver", "580.65.06")
      .set("0.name", "NVIDIA H100 80GB HBM3")
      .set("0.uuid", "GPU-1");
  nvml.set("0.pci", "0 59 0").set("0.minor", "3").set("0.utilization", "37 12").set("0.power", "345000");
  nvml.set("0.memory", "1000000 600000 400000 0").set("0.energy", "1000");
  nvml.set("0.compute.0", std::to_string(spinner.pid()) + " 250000");
  const ScratchRoot root;
  std::filesystem::create_directory(root.file("lib"));
  std::filesystem::copy_file(kFakeNvml, root.file("lib/libnvidia-ml.so.1"));
  Daemon daemon(root, {.flags = {"--compat-metrics=dcgm"}, .env = {"LD_LIBRARY_PATH=" + root.file("lib")}});
  daemon.wait_ready();
  SeriesMap page;
  EXPECT_TRUE(eventually([&] {
    page = daemon.scrape().all;
    return value(page, "flowtap_workload_device_memory_used_bytes", with(kGpu, kWhose)) == 250000;
  })) << daemon.metrics();
  EXPECT_EQ(value(page, "flowtap_device_utilization_ratio", kGpu), 0.37);
  EXPECT_EQ(value(page, "flowtap_device_memory_used_bytes", kGpu), 400000);
  EXPECT_EQ(value(page, "flowtap_device_power_watts", kGpu), 345);
  EXPECT_EQ(value(page, "DCGM_FI_DEV_GPU_UTIL", dcgm()), 37);
  EXPECT_EQ(value(page, "DCGM_FI_DEV_POWER_USAGE", dcgm()), 345);
  EXPECT_EQ(value(page, "DCGM_FI_DEV_XID_ERRORS", dcgm()), std::nullopt);
  EXPECT_EQ(value(page, "flowtap_read_errors_total", {{"what", "devices_nvidia"}}), 0);

  // There are 500 J more, and an error.
  nvml.set("0.energy", "501000").set("event.0", "0 79");
  EXPECT_TRUE(eventually([&] {
    page = daemon.scrape().all;
    return value(page, "flowtap_device_joules_total", kGpu) == 500 &&
           value(page, "DCGM_FI_DEV_XID_ERRORS", dcgm()) == 79;
  })) << daemon.metrics();
  EXPECT_EQ(value(page, "flowtap_device_idle_joules_total", kGpu).value_or(0) +
                value(page, "flowtap_device_unattributed_joules_total", kGpu).value_or(0),
            500)
      << "the driver has no sample of what the process did";

  // The GPU falls off the bus: its values are absent, and flowtapd and the other components go on.
  nvml.set("0.ret.all", "15");
  EXPECT_TRUE(eventually([&] {
    page = daemon.scrape().all;
    return value(page, "flowtap_device_losses_total", kGpu) == 1;
  })) << daemon.metrics();
  EXPECT_EQ(value(page, "flowtap_device_power_watts", kGpu), std::nullopt);
  EXPECT_GT(value(page, "flowtap_node_load1", {}).value_or(-1), -1);
}

}  // namespace
}  // namespace flowtap::test
