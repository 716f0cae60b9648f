// Which CPUs share a cache and a NUMA node, from sysfs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Where one CPU stands. FTAP_PLACE_UNKNOWN where sysfs does not tell, as for an offline CPU.
struct CpuPlace {
  std::uint32_t llc;   ///< the lowest CPU under the same last-level cache
  std::uint32_t node;  ///< NUMA node

  bool operator==(const CpuPlace&) const = default;
};

struct Topology {
  std::vector<CpuPlace> places;  ///< by CPU id, up to the highest possible one; ids may have gaps
  unsigned possible = 0;         ///< how many CPUs there can be
  unsigned online = 0;           ///< how many there are now
  std::string online_list;       ///< as sysfs writes it, to notice a change

  [[nodiscard]] unsigned highest_plus_one() const { return static_cast<unsigned>(places.size()); }
};

/// Reads <sysfs>/devices/system/{cpu,node}. Only `possible` and `online` must be there; a missing cache or
/// node makes places unknown. A kernel without NUMA has one node, 0.
[[nodiscard]] Result<Topology> read_topology(const std::string& sysfs);

/// Only the list of online CPUs: one small read, to see in each cycle whether CPUs came or went.
[[nodiscard]] Result<std::string> read_online_list(const std::string& sysfs);

}  // namespace flowtap::kernel
