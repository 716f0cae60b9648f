#include "telemetry/devices/nvml/nvml_processes.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "telemetry/devices/nvml/nvml_call.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr unsigned kMostProcesses = 4096;  // how many processes one device may have
// What the functions of the first two versions write for each process.
constexpr std::size_t kOldest = 16;
constexpr std::size_t kUsual = sizeof(ProcessInfo);
// The third version should write the same, but drivers from 535.43 to 535.86 write more
// (https://github.com/XuehaiPan/nvitop/pull/79). So there is room for that, and what was written tells which it is.
constexpr std::size_t kLongest = 32;
constexpr unsigned char kUntouched = 0xA5;

using Key = std::pair<unsigned, std::string>;  // pid and instance
using Processes = std::map<Key, DeviceProcess>;
using Buffer = std::vector<unsigned char>;

DeviceProcess& process_of(Processes& all, unsigned pid, std::string instance) {
  DeviceProcess& process = all[{pid, instance}];
  process.pid = static_cast<pid_t>(pid);
  process.instance = std::move(instance);
  return process;
}

bool is_pid(unsigned pid) {
  return pid != 0 && pid <= INT32_MAX;
}

ProcessInfo info_at(const Buffer& buffer, std::size_t stride, unsigned i) {
  ProcessInfo info{.pid = 0, .memory = kNone64, .gpu_instance = kNone32, .compute_instance = kNone32};
  std::memcpy(&info, &buffer[i * stride], std::min(stride, sizeof(info)));
  return info;
}

unsigned pids_at(const Buffer& buffer, std::size_t stride, unsigned count) {
  unsigned pids = 0;
  for (unsigned i = 0; i < count; ++i) pids += is_pid(info_at(buffer, stride, i).pid) ? 1U : 0U;
  return pids;
}

// How many bytes each of `count` entries has in the buffer.
std::size_t stride_of(unsigned version, const Buffer& buffer, unsigned count) {
  if (version == 1) return kOldest;
  if (version == 2) return kUsual;
  const auto behind = buffer.begin() + static_cast<std::ptrdiff_t>(count * kUsual);
  if (std::all_of(behind, buffer.end(), [](unsigned char c) { return c == kUntouched; })) return kUsual;
  // A library that clears all its room leaves zeros behind the last entry. So may entries of the long kind, if there
  // are few, for MIG's instance 0/0: then the usual kind has no pids where they should be.
  const bool blank =
      std::all_of(behind, buffer.end(), [](unsigned char c) { return c == 0 || c == kUntouched; });
  return blank && pids_at(buffer, kUsual, count) >= pids_at(buffer, kLongest, count) ? kUsual : kLongest;
}

void add_list(const ProcessList& list, Handle device, Look& look, Processes& all) {
  if (list.get == nullptr || look.lost) return;
  Buffer buffer;
  unsigned count = 0;
  int result = list.get(device, &count, nullptr);
  // More processes may have come when it is asked again, so the number of tries is limited.
  constexpr unsigned kMore = 16;
  for (unsigned room = 0; result == kInsufficientSize && room < kMostProcesses;) {
    room = std::min(std::max(count, room), kMostProcesses - kMore) + kMore;
    buffer.assign(room * kLongest, kUntouched);
    count = room;
    result = list.get(device, &count, buffer.data());
  }
  if (!look.good(result)) return;
  count = std::min(count, static_cast<unsigned>(buffer.size() / kLongest));
  const std::size_t stride = stride_of(list.version, buffer, count);
  for (unsigned i = 0; i < count; ++i) {
    const ProcessInfo info = info_at(buffer, stride, i);
    if (!is_pid(info.pid)) continue;
    DeviceProcess& process =
        process_of(all, info.pid, instance_name(info.gpu_instance, info.compute_instance));
    // A process that computes and draws is in two lists, with the same memory.
    if (info.memory != kNone64)
      process.memory = std::max(process.memory.value_or(0), std::uint64_t{info.memory});
  }
}

}  // namespace

std::string instance_name(unsigned gpu, unsigned compute) {
  if (gpu == kNone32) return {};
  return std::to_string(gpu) + "/" + (compute == kNone32 ? "" : std::to_string(compute));
}

std::vector<DeviceProcess> read_processes(const Functions& call, Handle device, ProcessSamples& samples,
                                          const Moment& now, std::optional<double> utilization, Look& look) {
  Processes all;
  for (const ProcessList& list : {call.compute_processes, call.graphics_processes, call.mps_processes})
    add_list(list, device, look, all);
  // Samples know no instances.
  std::set<unsigned> listed;
  for (const auto& [key, process] : all)
    if (key.second.empty()) listed.insert(key.first);
  for (const auto& [pid, work] : samples.next(call, device, listed, now, utilization, look)) {
    DeviceProcess& process = process_of(all, pid, {});
    process.utilization = work.utilization;
    process.memory_utilization = work.memory_utilization;
    process.encoder = work.encoder;
    process.decoder = work.decoder;
  }
  std::vector<DeviceProcess> processes;
  for (auto& [key, process] : all) processes.push_back(std::move(process));
  return processes;
}

}  // namespace flowtap::telemetry::nvml
