// The names and labels of the other exporters, and those that we lack. A change here is a change for users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "stats/compat/history.hpp"
#include "stats/compat/rows.hpp"
#include "tests/support/golden.hpp"

namespace flowtap::stats::compat {
namespace {

using Names = std::set<std::string>;

const std::vector<Exporter> kAll{Exporter::kCADVISOR, Exporter::kNODE, Exporter::kKEPLER, Exporter::kDCGM};

/// One of everything that the exporters report: a pod's container, a unit, a GPU, a socket; at two times.
std::vector<Family> everything() {
  History history(kAll, "node-1");
  std::shared_ptr<const Past> past;
  Snapshot now;
  for (const double at : {1.0, 7.0}) {
    now = {};
    now.steady = std::chrono::steady_clock::time_point(std::chrono::seconds(100 * static_cast<int>(at)));
    now.measured = now.steady;
    for (const Stat& s : all_stats()) {
      if (s.kind == Kind::kHistogram) continue;
      const std::string_view keys = family(s.family).labels;
      std::vector<std::string> labels;
      for (std::size_t i = 0; i < label_count(keys); ++i) {
        const std::string key(label_key(keys, i));
        const std::map<std::string, std::string> known{
            {"kind", "pod"},       {"vendor", "nvidia"}, {"device", "0000:17:00.0"}, {"source", "powercap"},
            {"part", "package-0"}, {"instance", ""},     {"sensor", "gpu"},          {"clock", "sm"},
            {"mode", "user"},      {"container", "app"}};
        const auto value = known.find(key);
        labels.push_back(value == known.end() ? "x" : value->second);
      }
      if (family(s.family).name.starts_with("flowtap_workload_network_")) labels.at(3).clear();
      if (family(s.family).name.starts_with("flowtap_node_filesystem_")) labels = {"/dev/sda1", "/", "ext4"};
      now.series.push_back({&s, labels, at});
      if (s.id == StatId::kWORKLOAD_INFO) {
        labels.at(3) = "POD";
        now.series.push_back({&s, labels, at});
      }
      if (s.id == StatId::kWORKLOAD_ENERGY)
        now.series.push_back({&s, {"unit", "", "", "", "machine-qemu\\x2d1\\x2dvm.scope"}, at});
      if (s.id == StatId::kDEVICE_TEMPERATURE || s.id == StatId::kDEVICE_CLOCK) {
        labels.back() = "memory";
        now.series.push_back({&s, labels, at});
      }
      if (s.id == StatId::kENERGY_PART)
        for (const char* part : {"package-0/core", "package-0/uncore", "package-0/dram", "psys"})
          now.series.push_back({&s, {"powercap", part, "intel-rapl:0"}, at});
    }
    past = history.next(now);
  }
  return families(now, kAll, *past);
}

struct Labelled {
  std::string_view name;
  Names real;     ///< the exporter's labels that have a value
  Names lacking;  ///< the labels that we do not have
  Names ours{};   ///< the labels that only we have
};

// cAdvisor's, as kubelet serves them; values of a whole pod, such as its network, have no container.
const Names kKubelet{"container", "id", "image", "name", "namespace", "pod"};
const Names kDcgm{"gpu",      "UUID",      "pci_bus_id", "device", "modelName",
                  "hostname", "container", "namespace",  "pod"};
const Names kPodNames{"pod_name", "pod_namespace"};

Names with(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

const std::vector<Labelled> kLabelled{
    {"container_cpu_usage_seconds_total", with(kKubelet, {"cpu"}), {}},
    {"container_cpu_user_seconds_total", kKubelet, {}},
    {"container_cpu_cfs_throttled_periods_total", kKubelet, {}},
    {"container_memory_working_set_bytes", kKubelet, {}},
    {"container_memory_failures_total", with(kKubelet, {"failure_type", "scope"}), {}},
    {"container_fs_reads_bytes_total", with(kKubelet, {"device"}), {}},
    {"container_fs_usage_bytes", with(kKubelet, {"device"}), {}},
    {"container_fs_limit_bytes", {"device", "id"}, {}},
    {"container_network_receive_bytes_total", {"id", "image", "interface", "name", "namespace", "pod"}, {}},
    {"container_spec_memory_limit_bytes", kKubelet, {}},
    {"container_spec_memory_swap_limit_bytes", kKubelet, {}},
    {"container_spec_memory_reservation_limit_bytes", kKubelet, {}},
    {"container_spec_cpu_shares", kKubelet, {}},
    {"cadvisor_version_info",
     {"cadvisorVersion", "cadvisorRevision", "dockerVersion", "kernelVersion", "osVersion"},
     {"cadvisorRevision", "dockerVersion", "osVersion"}},
    {"machine_cpu_cores", {"boot_id", "machine_id", "system_uuid"}, {}},
    {"machine_memory_bytes", {"boot_id", "machine_id", "system_uuid"}, {}},
    {"container_spec_cpu_quota", kKubelet, {}},
    {"container_spec_cpu_period", kKubelet, {}},
    {"container_last_seen", kKubelet, {}},
    {"container_start_time_seconds", kKubelet, {}},

    {"node_exporter_build_info",
     {"branch", "goarch", "goos", "goversion", "revision", "version"},
     {"branch", "goversion", "revision"}},
    {"node_load1", {}, {}},
    {"node_cpu_seconds_total", {"cpu", "mode"}, {}},
    {"node_disk_read_bytes_total", {"device"}, {}},
    {"node_network_receive_bytes_total", {"device"}, {}},
    {"node_filesystem_avail_bytes", {"device", "fstype", "mountpoint"}, {}},
    {"node_filesystem_device_error", {"device", "device_error", "fstype", "mountpoint"}, {"device_error"}},
    {"node_rapl_package_joules_total", {"index", "path"}, {}},
    {"node_rapl_dram_joules_total", {"index", "path"}, {}},
    {"node_schedstat_running_seconds_total", {"cpu"}, {}},

    {"kepler_build_info",
     {"arch", "branch", "revision", "version", "goversion"},
     {"branch", "revision", "goversion"}},
    {"kepler_node_cpu_joules_total", {"zone", "path", "node_name"}, {"path"}},
    {"kepler_node_cpu_active_joules_total", {"zone", "path", "node_name"}, {"path"}},
    {"kepler_node_cpu_idle_watts", {"zone", "path", "node_name"}, {"path"}},
    {"kepler_node_cpu_usage_ratio", {"node_name"}, {}},
    {"kepler_node_cpu_info",
     {"processor", "vendor_id", "model_name", "physical_id", "core_id", "node_name"},
     {}},
    {"kepler_vm_cpu_watts", {"vm_id", "vm_name", "hypervisor", "state", "zone", "node_name"}, {"vm_id"}},
    {"kepler_container_cpu_joules_total",
     {"container_id", "container_name", "runtime", "state", "zone", "pod_id", "node_name"},
     {},
     kPodNames},
    {"kepler_container_cpu_watts",
     {"container_id", "container_name", "runtime", "state", "zone", "pod_id", "node_name"},
     {},
     kPodNames},
    {"kepler_pod_cpu_joules_total",
     {"pod_id", "pod_name", "pod_namespace", "state", "zone", "node_name"},
     {}},
    {"kepler_pod_cpu_watts", {"pod_id", "pod_name", "pod_namespace", "state", "zone", "node_name"}, {}},
    {"kepler_node_gpu_watts", {"gpu", "gpu_uuid", "gpu_name", "vendor", "node_name"}, {}},
    {"kepler_container_gpu_watts",
     {"container_id", "container_name", "runtime", "state", "pod_id", "node_name"},
     {},
     kPodNames},
    {"kepler_pod_gpu_watts", {"pod_id", "pod_name", "pod_namespace", "state", "node_name"}, {}},
    {"kepler_container_joules_total",
     {"container_id", "container_name", "container_namespace", "pod_name", "mode", "source"},
     {"source"}},
    {"kepler_node_platform_joules_total", {"package", "instance", "mode", "source"}, {"package", "source"}},
    {"kepler_node_dram_joules_total", {"package", "instance", "mode", "source"}, {"source"}},

    {"DCGM_FI_DEV_GPU_UTIL", kDcgm, {}},
    {"DCGM_FI_DEV_POWER_USAGE", kDcgm, {}},
    {"DCGM_FI_DEV_MEMORY_TEMP", kDcgm, {}},
    {"DCGM_FI_DEV_XID_ERRORS", kDcgm, {}},
};

TEST(CompatLabels, AreThoseOfTheExporterButForThoseThatAreSaidToLack) {
  const auto all = everything();
  for (const Labelled& expected : kLabelled) {
    const auto theirs = std::ranges::find(all, expected.name, &Family::name);
    ASSERT_NE(theirs, all.end()) << expected.name;
    Names found;
    for (const Sample& sample : theirs->samples)
      for (const auto& [key, value] : sample.labels) found.insert(key);
    Names missing;
    Names more;
    std::ranges::set_difference(expected.real, found, std::inserter(missing, missing.end()));
    std::ranges::set_difference(found, expected.real, std::inserter(more, more.end()));
    EXPECT_EQ(missing, expected.lacking) << expected.name;
    EXPECT_EQ(more, expected.ours) << expected.name;
  }
}

TEST(CompatLabels, ABlockDeviceIsToldByItsFile) {
  const auto all = everything();
  const auto reads = std::ranges::find(all, "container_fs_reads_total", &Family::name);
  ASSERT_NE(reads, all.end());
  ASSERT_FALSE(reads->samples.empty());
  for (const Sample& sample : reads->samples)
    EXPECT_TRUE(std::ranges::count(sample.labels,
                                   std::pair<std::string, std::string>("device", "/dev/0000:17:00.0")) == 1);
}

// The metrics that people use of these exporters (not all that they can give).
const Names kAsked{"machine_cpu_cores",
                   "machine_cpu_physical_cores",
                   "machine_cpu_sockets",
                   "machine_memory_bytes",
                   "machine_swap_bytes",
                   "container_fs_inodes_free",
                   "container_fs_inodes_total",
                   "container_spec_memory_swap_limit_bytes",
                   "container_spec_memory_reservation_limit_bytes",
                   "container_cpu_usage_seconds_total",
                   "container_cpu_user_seconds_total",
                   "container_cpu_system_seconds_total",
                   "container_cpu_cfs_periods_total",
                   "container_cpu_cfs_throttled_periods_total",
                   "container_cpu_cfs_throttled_seconds_total",
                   "container_cpu_schedstat_run_seconds_total",
                   "container_cpu_schedstat_runqueue_seconds_total",
                   "container_cpu_schedstat_run_periods_total",
                   "container_memory_usage_bytes",
                   "container_memory_working_set_bytes",
                   "container_memory_rss",
                   "container_memory_cache",
                   "container_memory_swap",
                   "container_memory_max_usage_bytes",
                   "container_memory_failcnt",
                   "container_memory_failures_total",
                   "container_fs_usage_bytes",
                   "container_fs_limit_bytes",
                   "container_fs_reads_bytes_total",
                   "container_fs_writes_bytes_total",
                   "container_fs_reads_total",
                   "container_fs_writes_total",
                   "container_network_receive_bytes_total",
                   "container_network_receive_packets_total",
                   "container_network_receive_errors_total",
                   "container_network_receive_packets_dropped_total",
                   "container_network_transmit_bytes_total",
                   "container_network_transmit_packets_total",
                   "container_network_transmit_errors_total",
                   "container_network_transmit_packets_dropped_total",
                   "container_oom_events_total",
                   "container_spec_cpu_quota",
                   "container_spec_cpu_period",
                   "container_spec_cpu_shares",
                   "container_spec_memory_limit_bytes",
                   "container_start_time_seconds",
                   "container_last_seen",
                   "container_processes",
                   "container_threads",
                   "node_cpu_seconds_total",
                   "node_filesystem_size_bytes",
                   "node_filesystem_free_bytes",
                   "node_filesystem_avail_bytes",
                   "node_filesystem_files",
                   "node_filesystem_files_free",
                   "node_filesystem_readonly",
                   "node_filesystem_device_error",
                   "node_disk_read_bytes_total",
                   "node_disk_written_bytes_total",
                   "node_disk_reads_completed_total",
                   "node_disk_writes_completed_total",
                   "node_disk_io_time_seconds_total",
                   "node_disk_io_time_weighted_seconds_total",
                   "node_network_receive_bytes_total",
                   "node_network_transmit_bytes_total",
                   "node_network_receive_packets_total",
                   "node_network_transmit_packets_total",
                   "node_network_receive_errs_total",
                   "node_network_transmit_errs_total",
                   "node_network_receive_drop_total",
                   "node_network_transmit_drop_total",
                   "node_load1",
                   "node_load5",
                   "node_load15",
                   "node_pressure_cpu_waiting_seconds_total",
                   "node_pressure_io_waiting_seconds_total",
                   "node_pressure_io_stalled_seconds_total",
                   "node_pressure_memory_waiting_seconds_total",
                   "node_pressure_memory_stalled_seconds_total",
                   "node_schedstat_running_seconds_total",
                   "node_schedstat_waiting_seconds_total",
                   "node_schedstat_timeslices_total",
                   "node_rapl_package_joules_total",
                   "node_context_switches_total",
                   "node_procs_running",
                   "node_procs_blocked",
                   "kepler_build_info",
                   "kepler_node_cpu_joules_total",
                   "kepler_node_cpu_watts",
                   "kepler_node_cpu_active_joules_total",
                   "kepler_node_cpu_active_watts",
                   "kepler_node_cpu_idle_joules_total",
                   "kepler_node_cpu_idle_watts",
                   "kepler_node_cpu_usage_ratio",
                   "kepler_node_cpu_info",
                   "kepler_process_cpu_joules_total",
                   "kepler_process_cpu_watts",
                   "kepler_container_cpu_joules_total",
                   "kepler_container_cpu_watts",
                   "kepler_container_cpu_seconds_total",
                   "kepler_pod_cpu_joules_total",
                   "kepler_pod_cpu_watts",
                   "kepler_vm_cpu_joules_total",
                   "kepler_node_gpu_joules_total",
                   "kepler_node_gpu_watts",
                   "kepler_container_gpu_joules_total",
                   "kepler_container_gpu_watts",
                   "kepler_pod_gpu_joules_total",
                   "kepler_pod_gpu_watts",
                   "kepler_platform_watts",
                   "kepler_container_joules_total",
                   "kepler_node_platform_joules_total",
                   "kepler_node_package_joules_total",
                   "kepler_node_core_joules_total",
                   "kepler_node_uncore_joules_total",
                   "kepler_node_dram_joules_total",
                   "kepler_node_other_joules_total",
                   "DCGM_FI_DEV_SM_CLOCK",
                   "DCGM_FI_DEV_MEM_CLOCK",
                   "DCGM_FI_DEV_MEMORY_TEMP",
                   "DCGM_FI_DEV_GPU_TEMP",
                   "DCGM_FI_DEV_POWER_USAGE",
                   "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
                   "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
                   "DCGM_FI_DEV_GPU_UTIL",
                   "DCGM_FI_DEV_MEM_COPY_UTIL",
                   "DCGM_FI_DEV_ENC_UTIL",
                   "DCGM_FI_DEV_DEC_UTIL",
                   "DCGM_FI_DEV_XID_ERRORS",
                   "DCGM_FI_DEV_FB_FREE",
                   "DCGM_FI_DEV_FB_USED",
                   "DCGM_FI_DEV_FB_RESERVED",
                   "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
                   "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
                   "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                   "DCGM_FI_PROF_DRAM_ACTIVE",
                   "DCGM_FI_PROF_PCIE_TX_BYTES",
                   "DCGM_FI_PROF_PCIE_RX_BYTES"};

const Names kLacking{
    "container_memory_failcnt",      "kepler_process_cpu_joules_total", "kepler_process_cpu_watts",
    "kepler_platform_watts",         "kepler_node_other_joules_total",  "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_PROF_PCIE_TX_BYTES",    "DCGM_FI_PROF_PCIE_RX_BYTES"};

TEST(CompatLabels, NamesThatAreAskedForAreThereButForThoseThatAreSaidToLack) {
  Names found;
  for (const Family& theirs : everything()) found.insert(std::string(theirs.name));
  Names missing;
  std::ranges::set_difference(kAsked, found, std::inserter(missing, missing.end()));
  EXPECT_EQ(missing, kLacking);
}

// The metrics of cAdvisor, Kepler and dcgm-exporter that the most used dashboards and rules ask for. The README gives
// the reason for each one that flowtap lacks.
TEST(CompatLabels, WhatDashboardsAskForIsThereOrHasAReason) {
  std::istringstream table(test::golden("found/compat-names.tsv"));
  const std::string readme = read_file(paths::in_sources("stats/compat/README.md")).value();
  Names found;
  for (const Family& theirs : everything()) found.insert(std::string(theirs.name));
  std::size_t asked = 0;
  for (std::string line; std::getline(table, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    if (name.starts_with('#') || name.starts_with("node_")) continue;
    ++asked;
    EXPECT_TRUE(found.contains(name) || readme.contains("| `" + name + "` |")) << name;
    EXPECT_FALSE(found.contains(name) && readme.contains("| `" + name + "` |")) << name << " is there";
  }
  EXPECT_GT(asked, 40U);
}

// Each family has one TYPE line, so no name may come twice.
TEST(CompatLabels, OfANameThereIsOneFamilyAndNoSampleTwice) {
  Names names;
  for (const Family& theirs : everything()) {
    EXPECT_TRUE(names.insert(std::string(theirs.name)).second) << theirs.name;
    EXPECT_FALSE(theirs.help.empty()) << theirs.name;
    std::set<LabelPairs> seen;
    for (const Sample& sample : theirs.samples) EXPECT_TRUE(seen.insert(sample.labels).second) << theirs.name;
  }
}

}  // namespace
}  // namespace flowtap::stats::compat
