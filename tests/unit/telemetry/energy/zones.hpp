// Power capping zones in a fake sysfs.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::test {

/// The range of a 32-bit register whose unit is 61035 nJ, and where it wraps (36/100 of a microjoule later).
inline constexpr std::uint64_t kZoneRange = 262143328850;
inline constexpr std::uint64_t kZoneModulus = 262143328911;

inline void set_zone(FileTree& tree, const std::string& zone, std::uint64_t uj) {
  tree.file("class/powercap/" + zone + "/energy_uj", std::to_string(uj) + "\n");
}

inline void add_zone(FileTree& tree, const std::string& zone, const std::string& name, std::uint64_t uj) {
  const std::string directory = "class/powercap/" + zone;
  tree.file(directory + "/name", name + "\n");
  tree.file(directory + "/max_energy_range_uj", std::to_string(kZoneRange) + "\n");
  set_zone(tree, zone, uj);
}

}  // namespace flowtap::test
