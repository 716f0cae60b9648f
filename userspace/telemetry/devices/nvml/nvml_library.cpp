#include "telemetry/devices/nvml/nvml_library.hpp"

#include <dlfcn.h>

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace flowtap::telemetry::nvml {
namespace {

constexpr std::string_view kName = "libnvidia-ml.so.1";

// Debian; Fedora and SUSE; Arch; the GPU operator's driver container; what GKE's nodes show to containers; WSL. All of
// them belong to root. GKE's own place below /home is not here, because on another node a user may have that name.
constexpr std::array<std::string_view, 8> kPlaces{"/usr/lib/x86_64-linux-gnu",
                                                  "/usr/lib/aarch64-linux-gnu",
                                                  "/usr/lib64",
                                                  "/usr/lib",
                                                  "/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
                                                  "/run/nvidia/driver/usr/lib64",
                                                  "/usr/local/nvidia/lib64",
                                                  "/usr/lib/wsl/lib"};

// The first of `names` that exists.
template <typename Function>
void find(void* library, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* const symbol = ::dlsym(library, name); symbol != nullptr) {
      function = reinterpret_cast<Function*>(symbol);
      return;
    }
}

void find(void* library, ProcessList& list, const std::string& name) {
  for (const auto& [suffix, version] : {std::pair{"_v3", 3U}, std::pair{"_v2", 2U}, std::pair{"", 1U}}) {
    list.version = version;
    find(library, list.get, {(name + suffix).c_str()});
    if (list.get != nullptr) return;
  }
}

void find_all(void* library, Functions& f) {
  find(library, f.init, {"nvmlInit_v2", "nvmlInit"});
  find(library, f.shutdown, {"nvmlShutdown"});
  find(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, f.count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library, f.handle, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library, f.name, {"nvmlDeviceGetName"});
  find(library, f.uuid, {"nvmlDeviceGetUUID"});
  find(library, f.minor_number, {"nvmlDeviceGetMinorNumber"});
  // Older versions fill another layout.
  find(library, f.pci, {"nvmlDeviceGetPciInfo_v3"});
  find(library, f.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, f.encoder, {"nvmlDeviceGetEncoderUtilization"});
  find(library, f.decoder, {"nvmlDeviceGetDecoderUtilization"});
  find(library, f.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, f.memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  find(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find(library, f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, f.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find(library, f.ecc, {"nvmlDeviceGetTotalEccErrors"});
  find(library, f.pcie_rate, {"nvmlDeviceGetPcieThroughput"});
  find(library, f.pcie_replays, {"nvmlDeviceGetPcieReplayCounter"});
  find(library, f.pcie_generation, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  find(library, f.pcie_lanes, {"nvmlDeviceGetMaxPcieLinkWidth"});
  find(library, f.fields, {"nvmlDeviceGetFieldValues"});
  find(library, f.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, f.mig_most, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(library, f.mig_handle, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  find(library, f.gpu_instance, {"nvmlDeviceGetGpuInstanceId"});
  find(library, f.compute_instance, {"nvmlDeviceGetComputeInstanceId"});
  find(library, f.attributes, {"nvmlDeviceGetAttributes_v2"});
  find(library, f.compute_processes, "nvmlDeviceGetComputeRunningProcesses");
  find(library, f.graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses");
  find(library, f.mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses");
  find(library, f.process_samples, {"nvmlDeviceGetProcessUtilization"});
  find(library, f.event_set_create, {"nvmlEventSetCreate"});
  find(library, f.event_set_free, {"nvmlEventSetFree"});
  find(library, f.register_events, {"nvmlDeviceRegisterEvents"});
  find(library, f.wait_event, {"nvmlEventSetWait_v2", "nvmlEventSetWait"});
}

std::string meaning(int result) {
  switch (result) {
    case kDriverNotLoaded:
      return "NVIDIA's driver is not loaded";
    case kVersionMismatch:
      return "libnvidia-ml.so.1 and NVIDIA's driver are of different versions";
    case kNoPermission:
      return "no permission to use /dev/nvidiactl";
    default:
      return "NVML does not start (" + std::to_string(result) + ")";
  }
}

}  // namespace

std::vector<std::string> library_paths(const std::string& host_root) {
  std::vector<std::string> paths{std::string(kName)};
  const std::string root = host_root == "/" ? "" : host_root;
  for (const std::string_view place : kPlaces)
    paths.push_back(root + std::string(place) + "/" + std::string(kName));
  return paths;
}

Library::Library(void* handle) : handle_(handle) {
  find_all(handle_, functions_);
}

Library::~Library() {
  if (initialised_ && functions_.shutdown != nullptr) functions_.shutdown();
  ::dlclose(handle_);
}

Result<std::unique_ptr<Library>> Library::open(const std::vector<std::string>& paths) {
  std::string why;
  for (const std::string& path : paths) {
    // RTLD_LOCAL: nobody else sees its names.
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    std::unique_ptr<Library> library(new Library(handle));
    const Functions& call = library->functions_;
    if (call.init == nullptr || call.count == nullptr || call.handle == nullptr) {
      why = path + " is not NVML";
      continue;
    }
    // CUDA's toolkit has one that only fails; the real one may be in the next place.
    const int result = call.init();
    library->initialised_ = result == kSuccess;
    if (library->initialised_) return library;
    why = meaning(result);
  }
  return fail(why.empty() ? "no " + std::string(kName) : why);
}

}  // namespace flowtap::telemetry::nvml
