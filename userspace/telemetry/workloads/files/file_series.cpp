#include "telemetry/workloads/files/file_series.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct CounterRow {
  CgroupCounter of;
  StatId stat;
};
struct IoRow {
  IoCounter of;
  StatId stat;
};
struct GaugeRow {
  CgroupGauge of;
  StatId stat;
};

constexpr std::array kCounters = {
    CounterRow{CgroupCounter::kCpuUser, StatId::kWORKLOAD_CPU_USER},
    CounterRow{CgroupCounter::kCpuSystem, StatId::kWORKLOAD_CPU_SYSTEM},
    CounterRow{CgroupCounter::kPeriods, StatId::kWORKLOAD_CPU_PERIODS},
    CounterRow{CgroupCounter::kThrottledPeriods, StatId::kWORKLOAD_CPU_THROTTLED_PERIODS},
    CounterRow{CgroupCounter::kThrottled, StatId::kWORKLOAD_CPU_THROTTLED},
    CounterRow{CgroupCounter::kPageFaults, StatId::kWORKLOAD_PAGE_FAULTS},
    CounterRow{CgroupCounter::kMajorPageFaults, StatId::kWORKLOAD_MAJOR_PAGE_FAULTS},
    CounterRow{CgroupCounter::kOoms, StatId::kWORKLOAD_OOMS},
    CounterRow{CgroupCounter::kOomKills, StatId::kWORKLOAD_OOM_KILLS},
    CounterRow{CgroupCounter::kCpuWaiting, StatId::kWORKLOAD_PRESSURE_CPU_WAITING},
    CounterRow{CgroupCounter::kCpuStalled, StatId::kWORKLOAD_PRESSURE_CPU_STALLED},
    CounterRow{CgroupCounter::kMemoryWaiting, StatId::kWORKLOAD_PRESSURE_MEMORY_WAITING},
    CounterRow{CgroupCounter::kMemoryStalled, StatId::kWORKLOAD_PRESSURE_MEMORY_STALLED},
    CounterRow{CgroupCounter::kIoWaiting, StatId::kWORKLOAD_PRESSURE_IO_WAITING},
    CounterRow{CgroupCounter::kIoStalled, StatId::kWORKLOAD_PRESSURE_IO_STALLED},
};
constexpr std::array kIo = {
    IoRow{IoCounter::kReadBytes, StatId::kWORKLOAD_IO_READ},
    IoRow{IoCounter::kWrittenBytes, StatId::kWORKLOAD_IO_WRITTEN},
    IoRow{IoCounter::kReads, StatId::kWORKLOAD_IO_READS},
    IoRow{IoCounter::kWrites, StatId::kWORKLOAD_IO_WRITES},
};
constexpr std::array kGauges = {
    GaugeRow{CgroupGauge::kShares, StatId::kWORKLOAD_CPU_SHARES},
    GaugeRow{CgroupGauge::kMemory, StatId::kWORKLOAD_MEMORY_USAGE},
    GaugeRow{CgroupGauge::kWorkingSet, StatId::kWORKLOAD_MEMORY_WORKING_SET},
    GaugeRow{CgroupGauge::kAnonymous, StatId::kWORKLOAD_MEMORY_ANONYMOUS},
    GaugeRow{CgroupGauge::kFile, StatId::kWORKLOAD_MEMORY_FILE},
    GaugeRow{CgroupGauge::kMappedFile, StatId::kWORKLOAD_MEMORY_MAPPED_FILE},
    GaugeRow{CgroupGauge::kActiveFile, StatId::kWORKLOAD_MEMORY_ACTIVE_FILE},
    GaugeRow{CgroupGauge::kInactiveFile, StatId::kWORKLOAD_MEMORY_INACTIVE_FILE},
    GaugeRow{CgroupGauge::kKernel, StatId::kWORKLOAD_MEMORY_KERNEL},
    GaugeRow{CgroupGauge::kSwap, StatId::kWORKLOAD_MEMORY_SWAP},
    GaugeRow{CgroupGauge::kMemoryPeak, StatId::kWORKLOAD_MEMORY_PEAK},
    GaugeRow{CgroupGauge::kProcesses, StatId::kWORKLOAD_PROCESSES},
    GaugeRow{CgroupGauge::kTasks, StatId::kWORKLOAD_TASKS},
};
// Those that may not be set.
constexpr std::array kBounds = {
    GaugeRow{CgroupGauge::kCpuLimit, StatId::kWORKLOAD_CPU_LIMIT},
    GaugeRow{CgroupGauge::kMemoryLimit, StatId::kWORKLOAD_MEMORY_LIMIT},
    GaugeRow{CgroupGauge::kSwapLimit, StatId::kWORKLOAD_SWAP_LIMIT},
    GaugeRow{CgroupGauge::kTasksLimit, StatId::kWORKLOAD_TASKS_LIMIT},
    GaugeRow{CgroupGauge::kReservation, StatId::kWORKLOAD_MEMORY_RESERVATION},
};

bool is_set(CgroupGauge gauge, double value) {
  return value != kUnlimited && (gauge != CgroupGauge::kReservation || value != 0);
}

// Times are counted in nanoseconds.
stats::Value value(const stats::Stat& stat, std::uint64_t count) {
  if (stat.unit == stats::Unit::kSeconds) return static_cast<double>(count) * 1e-9;
  return count;
}

}  // namespace

void append_series(const CgroupValues& values, const NamedIo& io, const stats::Labels& labels,
                   std::vector<stats::Series>& out) {
  for (const CounterRow& row : kCounters)
    if (const auto& count = values[row.of])
      out.push_back({&stats::stat(row.stat), labels, value(stats::stat(row.stat), *count)});
  for (const auto& [device, counters] : io) {
    std::vector<std::string> with_device(labels.begin(), labels.end());
    with_device.push_back(device);
    const stats::Labels all(std::move(with_device));
    for (const IoRow& row : kIo)
      if (const auto& count = counters[row.of]) out.push_back({&stats::stat(row.stat), all, *count});
  }
  for (const GaugeRow& row : kGauges)
    if (const auto& gauge = values[row.of]) out.push_back({&stats::stat(row.stat), labels, *gauge});
  for (const GaugeRow& row : kBounds)
    if (const auto& gauge = values[row.of]; gauge && is_set(row.of, *gauge))
      out.push_back({&stats::stat(row.stat), labels, *gauge});
}

void append_unset(const CgroupValues& values, const stats::Labels& labels, std::vector<stats::Series>& out) {
  for (const GaugeRow& row : kBounds)
    if (const auto& gauge = values[row.of]; gauge && !is_set(row.of, *gauge))
      out.push_back({&stats::stat(row.stat), labels, 0.0});
}

}  // namespace flowtap::telemetry
