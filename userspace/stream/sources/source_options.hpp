// What is captured beside containers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flowtap {

/// Lists that may be changed while flowtapd runs.
struct SourceOptions {
  std::vector<std::string> units;      ///< names of systemd services
  std::vector<std::string> processes;  ///< paths of executables in HOST_ROOT
  std::vector<std::string> files;      ///< paths in HOST_ROOT
  bool operator==(const SourceOptions&) const = default;
};

inline constexpr std::size_t kMaxUnitBytes = 127;  ///< of a unit's name: what the log tap's programs compare

}  // namespace flowtap
