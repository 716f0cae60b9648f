// libnvidia-ml.so.1, loaded while we run: a node without NVIDIA's driver has none, and each driver's has different
// functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "telemetry/devices/nvml/nvml_abi.hpp"

namespace flowtap::telemetry::nvml {

/// Where it may be: what the loader finds by its name, and the places below `host_root` where drivers, the GPU operator
/// and container hosts put it.
[[nodiscard]] std::vector<std::string> library_paths(const std::string& host_root);

/// One of the lists of processes. The library has several functions for each; the first two of them write entries of
/// another size.
struct ProcessList {
  GetProcesses* get;
  unsigned version;  ///< 1 to 3
};

/// Functions that the library does not have are null.
struct Functions {
  int (*init)();
  int (*shutdown)();
  int (*driver_version)(char*, unsigned);
  int (*count)(unsigned*);
  int (*handle)(unsigned index, Handle*);
  GetText* name;
  GetText* uuid;
  int (*minor_number)(Handle, unsigned* number);  // the minor number of its file in /dev
  int (*pci)(Handle, PciInfo*);
  int (*utilization)(Handle, Utilization*);
  int (*encoder)(Handle, unsigned* percent, unsigned* period_us);
  int (*decoder)(Handle, unsigned* percent, unsigned* period_us);
  int (*memory)(Handle, Memory*);
  int (*memory_v2)(Handle, MemoryV2*);
  GetNumber* power;        // milliwatts
  GetNumber* power_limit;  // milliwatts
  int (*energy)(Handle, unsigned long long* millijoules);
  int (*temperature)(Handle, unsigned sensor, unsigned* celsius);
  int (*clock)(Handle, unsigned which, unsigned* megahertz);
  int (*ecc)(Handle, unsigned type, unsigned since, unsigned long long*);
  int (*pcie_rate)(Handle, unsigned direction, unsigned* kilobytes);
  GetNumber* pcie_replays;
  GetNumber* pcie_generation;  // the highest that card and slot support
  GetNumber* pcie_lanes;       // alike
  int (*fields)(Handle, int count, FieldValue*);
  int (*mig_mode)(Handle, unsigned* current, unsigned* pending);
  GetNumber* mig_most;
  int (*mig_handle)(Handle, unsigned index, Handle*);
  GetNumber* gpu_instance;
  GetNumber* compute_instance;
  int (*attributes)(Handle, Attributes*);
  ProcessList compute_processes;
  ProcessList graphics_processes;
  ProcessList mps_processes;
  int (*process_samples)(Handle, ProcessSample*, unsigned* count, unsigned long long since);
  int (*event_set_create)(EventSet*);
  int (*event_set_free)(EventSet);
  int (*register_events)(Handle, unsigned long long types, EventSet);
  int (*wait_event)(EventSet, EventData*, unsigned timeout_ms);
};

/// The library, initialised as long as this lives. During that time the driver cannot be unloaded, and no GPU can be
/// reset.
class Library {
 public:
  /// Loads the first of `paths` that can be loaded. An Error: none can, or the driver does not answer.
  [[nodiscard]] static Result<std::unique_ptr<Library>> open(const std::vector<std::string>& paths);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const Functions& call() const { return functions_; }

 private:
  explicit Library(void* handle);

  void* handle_;
  Functions functions_{};
  bool initialised_ = false;
};

}  // namespace flowtap::telemetry::nvml
