// MIG: a GPU that is divided into instances.
#include <algorithm>

#include "telemetry/devices/nvml/nvml_device.hpp"
#include "telemetry/devices/nvml/nvml_processes.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr unsigned kMostInstances = 64;  // today's GPUs have 7

DeviceInstance read_instance(const Functions& call, Handle handle, Look& look) {
  DeviceInstance instance;
  const auto gpu = look.ask<unsigned>(call.gpu_instance, handle);
  const auto compute = look.ask<unsigned>(call.compute_instance, handle);
  instance.name = instance_name(gpu.value_or(kNone32), compute.value_or(kNone32));
  instance.uuid = text_of(call.uuid, handle);
  instance.model = text_of(call.name, handle);
  if (const auto memory = look.ask<Memory>(call.memory, handle); memory && memory->used <= memory->total) {
    instance.memory_total = memory->total;
    instance.memory_used = memory->used;
  }
  if (const auto attributes = look.ask<Attributes>(call.attributes, handle))
    instance.processors = attributes->multiprocessors;
  return instance;
}

}  // namespace

std::vector<DeviceInstance> read_instances(const Functions& call, Handle gpu, Look& look) {
  std::vector<DeviceInstance> instances;
  unsigned pending = 0;
  unsigned current = 0;
  if (call.mig_mode == nullptr || !look.good(call.mig_mode(gpu, &current, &pending)) ||
      current != kMigEnabled)
    return instances;
  const auto most = look.ask<unsigned>(call.mig_most, gpu);
  for (unsigned i = 0; i < std::min(most.value_or(0), kMostInstances); ++i) {
    // Not found: the index is free.
    const auto handle = look.ask<Handle>(call.mig_handle, gpu, i);
    if (!handle) continue;
    DeviceInstance instance = read_instance(call, *handle, look);
    if (!instance.name.empty()) instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace flowtap::telemetry::nvml
