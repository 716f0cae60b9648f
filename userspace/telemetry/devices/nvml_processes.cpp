#include "telemetry/devices/nvml_processes.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "telemetry/devices/nvml_call.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr unsigned kMost = 4096;  // processes of one device
// Drivers of 535.43 to 535.86 write 32 bytes for each process under the name that stands for 24, the oldest function 16
// (https://github.com/XuehaiPan/nvitop/pull/79). So there is room for the longest, and what was written tells.
constexpr std::size_t kLongest = 32;
constexpr std::size_t kShortest = 16;
constexpr unsigned char kUntouched = 0xA5;

using Key = std::pair<unsigned, std::string>;  // pid and instance
using Processes = std::map<Key, DeviceProcess>;

DeviceProcess& process_of(Processes& all, unsigned pid, std::string instance) {
  DeviceProcess& process = all[{pid, instance}];
  process.pid = static_cast<pid_t>(pid);
  process.instance = std::move(instance);
  return process;
}

// Bytes that each of `count` has in the buffer.
std::size_t stride_of(const std::vector<unsigned char>& buffer, unsigned count) {
  const auto last =
      std::find_if(buffer.rbegin(), buffer.rend(), [](unsigned char c) { return c != kUntouched; });
  const auto written = static_cast<std::size_t>(buffer.rend() - last);
  return written <= count * kShortest             ? kShortest
         : written <= count * sizeof(ProcessInfo) ? sizeof(ProcessInfo)
                                                  : kLongest;
}

void add_list(GetProcesses* function, Handle device, Look& look, Processes& all) {
  if (function == nullptr || look.lost) return;
  std::vector<unsigned char> buffer;
  unsigned count = 0;
  int result = function(device, &count, nullptr);
  // More may have come when it is asked again.
  for (unsigned room = 0; result == kInsufficientSize && room < kMost;) {
    room = std::min(std::max(count, room) + 16, kMost);
    buffer.assign(room * kLongest, kUntouched);
    count = room;
    result = function(device, &count, buffer.data());
  }
  if (!look.good(result)) return;
  count = std::min(count, static_cast<unsigned>(buffer.size() / kLongest));
  const std::size_t stride = stride_of(buffer, count);
  for (unsigned i = 0; i < count; ++i) {
    ProcessInfo info{.pid = 0, .memory = kNone64, .gpu_instance = kNone32, .compute_instance = kNone32};
    std::memcpy(&info, &buffer[i * stride], std::min(stride, sizeof(info)));
    if (info.pid == 0 || info.pid > INT32_MAX) continue;
    DeviceProcess& process =
        process_of(all, info.pid, instance_name(info.gpu_instance, info.compute_instance));
    // One that computes and draws is in two lists, with the same memory.
    if (info.memory != kNone64)
      process.memory = std::max(process.memory.value_or(0), std::uint64_t{info.memory});
  }
}

struct Mean {
  unsigned sum = 0;
  unsigned count = 0;

  void add(unsigned percent) {
    if (!ratio(percent)) return;
    sum += percent;
    ++count;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count == 0 ? std::nullopt : std::optional(sum / (100.0 * count));
  }
};

struct Means {
  Mean sm, memory, encoder, decoder;
};

void add_samples(const Functions& call, Handle device, std::uint64_t& seen, Look& look, Processes& all) {
  if (call.process_samples == nullptr || look.lost) return;
  std::vector<ProcessSample> samples;
  unsigned count = 0;
  int result = call.process_samples(device, nullptr, &count, seen);
  if (result == kInsufficientSize) {
    samples.resize(std::min(count + 16, kMost));
    count = static_cast<unsigned>(samples.size());
    result = call.process_samples(device, samples.data(), &count, seen);
  }
  // Not found: there are none since then.
  if (result != kNotFound && !look.good(result)) return;
  samples.resize(result == kNotFound ? 0 : std::min<std::size_t>(count, samples.size()));
  std::map<unsigned, Means> means;
  std::uint64_t newest = seen;
  for (const ProcessSample& sample : samples) {
    newest = std::max<std::uint64_t>(newest, sample.microseconds);
    if (sample.pid == 0 || sample.pid > INT32_MAX || sample.microseconds <= seen) continue;
    Means& mean = means[sample.pid];
    mean.sm.add(sample.sm);
    mean.memory.add(sample.memory);
    mean.encoder.add(sample.encoder);
    mean.decoder.add(sample.decoder);
  }
  const bool first = seen == 0;
  seen = newest;
  // The driver keeps samples of some seconds: at the first look these are of a time of which nothing else is known.
  if (first) return;
  // Who has a list entry and no sample did nothing.
  for (auto& [key, process] : all)
    if (key.second.empty())
      process.utilization = process.memory_utilization = process.encoder = process.decoder = 0;
  for (const auto& [pid, mean] : means) {
    DeviceProcess& process = process_of(all, pid, {});
    process.utilization = mean.sm.value();
    process.memory_utilization = mean.memory.value();
    process.encoder = mean.encoder.value();
    process.decoder = mean.decoder.value();
  }
}

}  // namespace

std::string instance_name(unsigned gpu, unsigned compute) {
  if (gpu == kNone32) return {};
  return std::to_string(gpu) + "/" + (compute == kNone32 ? "" : std::to_string(compute));
}

std::vector<DeviceProcess> read_processes(const Functions& call, Handle device, std::uint64_t& seen,
                                          bool& lost, std::uint64_t& unread) {
  Look look{.unread = unread, .lost = lost};
  Processes all;
  for (GetProcesses* list : {call.compute_processes, call.graphics_processes, call.mps_processes})
    add_list(list, device, look, all);
  add_samples(call, device, seen, look, all);
  lost = look.lost;
  std::vector<DeviceProcess> processes;
  for (auto& [key, process] : all) processes.push_back(std::move(process));
  return processes;
}

}  // namespace flowtap::telemetry::nvml
