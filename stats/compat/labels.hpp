// Labels of other exporters, made out of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/compat/surroundings.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

/// The names that compat.def uses.
enum class LabelMap : std::uint8_t {
  kAS_IS,  ///< ours
  kNODE_BUILD,
  kRAPL_PACKAGE,  ///< for zones of that name: their number and their place in sysfs
  kRAPL_CORE,
  kRAPL_UNCORE,
  kRAPL_DRAM,
  kRAPL_PSYS,
  kCONTAINER,  ///< for a container: container, namespace, pod, and name; for it and for other cgroups, the id
  kCONTAINER_CPU,               ///< the same for all CPUs together
  kCONTAINER_WITH_QUOTA,        ///< the same, only where CPU time is limited
  kCONTAINER_SCHEDSTAT,         ///< the same, only for containers
  kCONTAINER_DEVICE,            ///< the same for one block device, by its file
  kCONTAINER_FAULTS,            ///< the same, including cgroups below: hierarchy
  kCONTAINER_OWN_FAULTS,        ///< the same as scope container
  kCONTAINER_MAJOR_FAULTS,      ///< alike
  kCONTAINER_OWN_MAJOR_FAULTS,  ///< alike
  kCONTAINER_NETWORK,           ///< for a pod as a whole, by interface
  kROOT,                        ///< the node's root cgroup
  kROOT_NETWORK,                ///< the same by interface, without those that are a container's other end
  kROOT_FILESYSTEM,             ///< the same by device, each once
  kCADVISOR_VERSION,
  kMACHINE,  ///< the machine's ids
  kKEPLER_BUILD,
  kKEPLER_CONTAINER,
  kKEPLER_CONTAINER_TIME,  ///< the same without a zone
  kKEPLER_POD,             ///< containers of one pod have the same and are summed
  kKEPLER_VM,              ///< for a unit that libvirt made for a virtual machine
  kKEPLER_CPU,
  kKEPLER_GPU,
  kKEPLER_GPU_CONTAINER,  ///< summed over all devices
  kKEPLER_GPU_POD,        ///< alike
  kKEPLER_OLD_CONTAINER,
  kKEPLER_OLD_SYSTEM,   ///< summed over everything outside of containers
  kKEPLER_OLD_DYNAMIC,  ///< summed over everything that is not idle
  kKEPLER_OLD_IDLE,
  kDCGM,
  kDCGM_GPU_SENSOR,
  kDCGM_MEMORY_SENSOR,
  kDCGM_SM_CLOCK,
  kDCGM_MEMORY_CLOCK,
};

/// Whether several of our series become one sum. These are all joules.
[[nodiscard]] constexpr bool is_sum(LabelMap map) {
  return map == LabelMap::kKEPLER_POD || map == LabelMap::kKEPLER_OLD_SYSTEM ||
         map == LabelMap::kKEPLER_OLD_DYNAMIC || map == LabelMap::kKEPLER_GPU_CONTAINER ||
         map == LabelMap::kKEPLER_GPU_POD;
}

/// Absent: the exporter has no such series. A label without a value is left out, as it is the same to Prometheus.
[[nodiscard]] std::optional<LabelPairs> labels_of(LabelMap map, const Series& series,
                                                  const Surroundings& around);

}  // namespace flowtap::stats::compat
