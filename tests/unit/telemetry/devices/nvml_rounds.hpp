// Rounds with the fake NVML, and the names of their series.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "telemetry/devices/nvml/nvml.hpp"
#include "tests/unit/telemetry/devices/fake_nvml.hpp"
#include "tests/unit/telemetry/devices/rounds.hpp"

namespace flowtap::test {

using Series = std::map<std::string, double>;

/// The labels of GPU 0.
inline const std::string kGpu = "vendor=nvidia,device=0000:3b:00.0,uuid=GPU-1";

/// The labels of a container on it.
inline std::string on_gpu(const std::string& name, const std::string& instance = "") {
  return "{" + kGpu + ",instance=" + instance + ",kind=container,namespace=,pod=,container=" + name +
         ",workload=}";
}

inline void add_gpu(FakeNvml& nvml, const std::string& gpu = "0") {
  nvml.set("gpus", std::to_string(std::stoi(gpu) + 1)).set("driver", "580.65.06");
  nvml.set(gpu + ".name", "NVIDIA H100 80GB HBM3")
      .set(gpu + ".uuid", "GPU-" + std::to_string(std::stoi(gpu) + 1));
  nvml.set(gpu + ".pci", "0 " + std::to_string(0x3b + std::stoi(gpu)) + " 0");
}

inline Rounds nvml_rounds(const std::string& library = kFakeNvml) {
  return Rounds(std::make_unique<telemetry::NvmlVendor>(std::vector<std::string>{library}, &Rounds::wall));
}

}  // namespace flowtap::test
