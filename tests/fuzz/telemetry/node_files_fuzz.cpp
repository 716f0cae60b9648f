// Any bytes as the kernel's files of the node. The first byte says which file. What is read has the labels of its row, comes once
// and is a number, and there is no more of it than there was text for.
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/node/disks.hpp"
#include "telemetry/node/kernel_stat.hpp"
#include "telemetry/node/machine.hpp"
#include "telemetry/node/memory.hpp"
#include "telemetry/node/mounts.hpp"
#include "telemetry/node/network.hpp"
#include "telemetry/node/pressure.hpp"
#include "telemetry/node/schedstat.hpp"
#include "telemetry/workloads/first_process.hpp"
#include "tests/fuzz/require.hpp"

using flowtap::fuzz::require;

namespace {

using flowtap::telemetry::Collected;
namespace stats = flowtap::stats;

void look_at(const Collected& read, std::size_t size) {
  require(read.series.size() + read.unread <= size + 1);
  std::set<std::string> seen;
  for (const stats::Series& series : read.series) {
    require(series.labels.size() == stats::label_count(stats::family(series.stat->family).labels));
    std::string key(stats::family(series.stat->family).name);
    for (const std::string& label : series.labels) {
      require(!label.empty());
      for (const char c : label) require(static_cast<unsigned char>(c) >= ' ');
      key.append(1, '\0').append(label);
    }
    require(seen.insert(key).second);
    if (const auto* value = std::get_if<double>(&series.value)) require(std::isfinite(*value) && *value >= 0);
  }
}

void look_at(const flowtap::telemetry::KernelStat& stat, std::size_t size) {
  require(stat.cpus.size() + stat.unread <= size);
  if (stat.all) require(stat.all->known >= 4 && stat.all->known <= flowtap::telemetry::kCpuModes);
  std::set<std::uint16_t> seen;
  for (const auto& times : stat.cpus) {
    require(seen.insert(times.cpu).second);
    require(times.known >= 4 && times.known <= flowtap::telemetry::kCpuModes);
  }
}

void look_at(const flowtap::telemetry::Mounts& mounts, std::size_t size) {
  require(mounts.all.size() + mounts.unread <= size);
  std::set<std::string> seen;
  for (const auto& mount : mounts.all) {
    require(mount.point.starts_with('/') && !mount.point.contains('\0'));
    require(!mount.type.empty() && !mount.device.empty());
    require(seen.insert(mount.point).second);
    static_cast<void>(flowtap::telemetry::is_storage(mount));
  }
}

void look_at(const std::vector<flowtap::telemetry::Processor>& processors, std::size_t size) {
  require(processors.size() <= size && processors.size() <= flowtap::telemetry::kMostProcessors);
  std::set<std::string> seen;
  for (const auto& one : processors) {
    require(!one.cpu.empty() && seen.insert(one.cpu).second);
    for (const std::string* label : {&one.cpu, &one.vendor, &one.model, &one.package, &one.core})
      for (const char c : *label) require(static_cast<unsigned char>(c) >= ' ');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace telemetry = flowtap::telemetry;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Collected read;
  switch (data[0]) {
    case 'c':
      look_at(telemetry::parse_kernel_stat(text), size);
      break;
    case 'm':
      telemetry::parse_meminfo(text, read);
      break;
    case 'v':
      telemetry::parse_vmstat(text, read);
      break;
    case 'd':
      telemetry::parse_diskstats(text, read);
      break;
    case 'n':
      telemetry::parse_net_dev(text, read);
      break;
    case 'p':
      telemetry::parse_pressure(text, stats::StatId::kNODE_PRESSURE_IO_WAITING,
                                stats::StatId::kNODE_PRESSURE_IO_STALLED, read);
      break;
    case 's':
      telemetry::parse_schedstat(text, read);
      break;
    case 't':
      (void)telemetry::start_ticks(text);
      break;
    case 'i':
      look_at(telemetry::parse_cpuinfo(text), size);
      break;
    case 'f':
      look_at(telemetry::parse_mounts(text), size);
      break;
    default:
      break;
  }
  look_at(read, size);
  return 0;
}
