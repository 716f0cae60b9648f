#include "telemetry/telemetry_path.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/node/on_host.hpp"
#include "telemetry/cgroup_names.hpp"
#include "telemetry/devices/amd_sysfs.hpp"
#include "telemetry/devices/intel_sysfs.hpp"
#include "telemetry/devices/nvml/nvml.hpp"
#include "telemetry/energy/energy.hpp"
#include "telemetry/node/cpu.hpp"
#include "telemetry/node/disks.hpp"
#include "telemetry/node/filesystems.hpp"
#include "telemetry/node/load.hpp"
#include "telemetry/node/machine.hpp"
#include "telemetry/node/memory.hpp"
#include "telemetry/node/network.hpp"
#include "telemetry/node/network_links.hpp"
#include "telemetry/node/pressure.hpp"
#include "telemetry/node/schedstat.hpp"
#include "telemetry/process_names.hpp"
#include "telemetry/workloads/files/cgroup_files.hpp"
#include "telemetry/workloads/layer_collector.hpp"
#include "telemetry/workloads/workload_collector.hpp"

namespace flowtap {
namespace {

using stats::StatId;
using Clock = std::chrono::steady_clock;

void add_node(telemetry::Collectors& collectors, const std::string& host_root) {
  const std::string proc = on_host(host_root, "/proc");
  collectors.add(std::make_unique<telemetry::LoadCollector>(proc));
  collectors.add(
      std::make_unique<telemetry::CpuCollector>(proc, static_cast<unsigned>(::sysconf(_SC_CLK_TCK))));
  collectors.add(std::make_unique<telemetry::MemoryCollector>(proc));
  collectors.add(std::make_unique<telemetry::DiskCollector>(proc));
  collectors.add(std::make_unique<telemetry::NetworkCollector>(proc));
  collectors.add(std::make_unique<telemetry::NetworkLinkCollector>(on_host(host_root, "/sys")));
  collectors.add(std::make_unique<telemetry::PressureCollector>(proc));
  collectors.add(std::make_unique<telemetry::SchedstatCollector>(proc));
  collectors.add(std::make_unique<telemetry::FilesystemCollector>(proc, host_root));
}

// By default they are among the places that LayerCollector knows itself.
std::vector<std::string> storage_of(const identity::StateDirectories& where) {
  std::vector<std::string> all;
  for (const auto* some : {&where.containerd, &where.storage, &where.docker})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

// The other descriptors are left for those who follow logs or ask questions.
std::size_t files_to_keep() {
  constexpr std::size_t kMost = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min<std::size_t>(limit.rlim_cur / 4 * 3, kMost);
}

std::unique_ptr<telemetry::CgroupFileSource> cgroup_files(const std::string& host_root,
                                                          const identity::UsageHierarchy& hierarchy,
                                                          std::size_t most) {
  const std::string place = on_host(host_root, "/sys/fs/cgroup");
  return hierarchy.is_v1() ? telemetry::CgroupFileSource::open_v1(place, hierarchy.place, most)
                           : telemetry::CgroupFileSource::open_below(place, most);
}

// They are read seldom, so none of their files stays open.
std::unique_ptr<telemetry::CgroupFileSource> outer_files(const std::string& host_root,
                                                         const identity::UsageHierarchy& hierarchy) {
  auto files = cgroup_files(host_root, hierarchy, 0);
  if (files) files->leave_out_inner();
  return files;
}

Result<std::unique_ptr<telemetry::Collector>> workload_collector(
    const TelemetryOptions& options, Result<std::unique_ptr<stats::UsageSource>> usage,
    TelemetryPath::Shared shared, std::shared_ptr<telemetry::UsageBoard> board,
    std::shared_ptr<telemetry::ProcessBoard> processes, std::shared_ptr<telemetry::CompatBoard> compat) {
  const std::string& root = shared.host_root;
  FTAP_TRY_ASSIGN(source, std::move(usage));
  FTAP_TRY_ASSIGN(names,
                  CgroupIdentities::open(root, shared.hierarchy, shared.runtimes, std::move(shared.named)));
  auto collector = std::make_unique<telemetry::WorkloadCollector>(
      std::move(source), std::move(names), cgroup_files(root, shared.hierarchy, files_to_keep()),
      on_host(root, "/proc"), on_host(root, "/sys"),
      telemetry::WorkloadBoards{std::move(board), std::move(processes), std::move(shared.ends), nullptr},
      options.keep);
  if (shared.for_cadvisor) collector->show_outer(outer_files(root, shared.hierarchy), std::move(compat));
  return collector;
}

void add_devices(telemetry::Collectors& collectors, const TelemetryOptions& options,
                 const TelemetryPath::Shared& shared, const std::shared_ptr<telemetry::DeviceBoard>& board,
                 const std::shared_ptr<telemetry::DeviceJoules>& joules) {
  const std::string& root = shared.host_root;
  std::vector<std::unique_ptr<telemetry::DeviceVendor>> vendors;
  vendors.push_back(
      std::make_unique<telemetry::NvmlVendor>(telemetry::nvml::library_paths(on_host(root, ""))));
  for (const telemetry::CardKind& kind : {telemetry::amd_cards(), telemetry::intel_cards()})
    vendors.push_back(
        std::make_unique<telemetry::CardVendor>(kind, on_host(root, "/sys"), on_host(root, "/proc")));
  for (auto& vendor : vendors) {
    auto names = ProcessIdentities::open(root, shared.hierarchy, shared.runtimes, shared.named);
    collectors.add(std::make_unique<telemetry::DevicesCollector>(
        std::move(vendor), names ? std::move(*names) : nullptr, board, options.keep,
        &telemetry::DeviceClock::now, joules));
  }
}

}  // namespace

std::unique_ptr<TelemetryPath> TelemetryPath::start(const TelemetryOptions& options,
                                                    Result<std::unique_ptr<stats::UsageSource>> usage,
                                                    Shared shared) {
  return std::unique_ptr<TelemetryPath>(new TelemetryPath(options, std::move(usage), std::move(shared)));
}

TelemetryPath::TelemetryPath(const TelemetryOptions& options,
                             Result<std::unique_ptr<stats::UsageSource>> usage, Shared shared)
    : time_limit_(options.time_limit),
      keep_(options.keep),
      logs_(std::move(shared.logs)),
      counted_(!usage || *usage),
      why_no_cycles_(std::move(shared.why_no_cycles)),
      by_v1_(shared.hierarchy.is_v1()) {
  const std::string root = shared.host_root;  // `shared` is moved from below
  const identity::StateDirectories runtimes = shared.runtimes;
  add_node(collectors_, root);
  const auto processes = std::make_shared<telemetry::ProcessBoard>();
  const auto joules = std::make_shared<telemetry::DeviceJoules>();
  add_devices(collectors_, options, shared, devices_, joules);
  collectors_.add(std::make_unique<telemetry::MachineCollector>(root, shared.for_cadvisor));
  if (counted_) {
    if (auto workloads =
            workload_collector(options, std::move(usage), std::move(shared), used_, processes, compat_)) {
      collectors_.add(std::move(*workloads));
      collectors_.add(std::make_unique<telemetry::LayerCollector>(on_host(root, ""), on_host(root, "/proc"),
                                                                  processes, storage_of(runtimes)));
    } else {
      missing_ = std::move(workloads.error()).in("workloads are not told apart");
    }
  }
  const auto sensors = std::make_shared<telemetry::SensorBoard>();
  collectors_.add(std::make_unique<telemetry::SensorCollector>(on_host(root, "/sys"), sensors));
  collectors_.add(std::make_unique<telemetry::EnergyCollector>(
      telemetry::EnergySources{.sysfs = on_host(root, "/sys"),
                               .proc = on_host(root, "/proc"),
                               .sensors = sensors,
                               .consumers = std::make_shared<telemetry::WorkloadEnergy>(used_),
                               .devices = joules}));
  states_ = collectors_.states();
}

void TelemetryPath::collect(ReadErrors& errors) {
  const auto now = Clock::now();
  // A tick may come a little early.
  if (last_ != Clock::time_point{} && now - last_ < kLeast * 9 / 10) return;
  last_ = now;
  series_.clear();
  logs_->append_samples(series_, now, keep_);
  collectors_.collect(time_limit_, series_);
  for_compat_ = compat_->take();
  states_ = collectors_.states();
  for (const telemetry::CollectorState& state : states_) errors[std::string(state.name)] = state.unread;
}

void TelemetryPath::append_samples(std::vector<stats::Series>& out) const {
  for (const telemetry::CollectorState& state : states_) {
    const std::string name(state.name);
    out.push_back({&stats::stat(StatId::kCOLLECTOR_TIMEOUTS), {name}, state.timeouts});
    if (state.done)
      out.push_back({&stats::stat(StatId::kCOLLECTOR_DURATION),
                     {name},
                     std::chrono::duration<double>(state.took).count()});
  }
}

Status TelemetryPath::health() const {
  std::string late;
  for (const telemetry::CollectorState& state : states_)
    if (state.late) late += (late.empty() ? "" : ", ") + std::string(state.name);
  if (late.empty()) return missing_ ? Status(std::unexpected(*missing_)) : Status();
  return fail(fmt::format("there was no answer within {} ms from {}", time_limit_.count(), late),
              "find the file system or device that hangs (dmesg may name it), or raise telemetry.time_limit; "
              "everything "
              "else is read");
}

std::string TelemetryPath::how() const {
  std::string names;
  for (const telemetry::CollectorState& state : states_)
    names += (names.empty() ? "" : ", ") + std::string(state.name);
  if (!counted_)
    names += "; workloads are not told apart, as nothing counts";
  else if (by_v1_)
    names += "; workloads by cgroup v1 (cpuacct)";
  if (!why_no_cycles_.empty())
    names += "; energy by CPU time: " + why_no_cycles_;
  else if (used_->counts_cycles())
    names += "; energy by cycles";
  const std::string devices = devices_->read();
  return devices.empty() ? names : names + "; " + devices;
}

}  // namespace flowtap
