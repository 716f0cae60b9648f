// The interface that reads the values of cgroups by their paths.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "telemetry/workloads/files/cgroup_values.hpp"

namespace flowtap::telemetry {

/// One cgroup, from when it was found at its path until it is removed; another one at the same path is a different one.
class OpenCgroup {
 public:
  OpenCgroup() = default;
  virtual ~OpenCgroup() = default;
  OpenCgroup(const OpenCgroup&) = delete;
  OpenCgroup& operator=(const OpenCgroup&) = delete;

  /// Fills `out`, and adds to `unread` what exists and could not be read or understood. False: the cgroup is gone, and
  /// nothing in `out` counts.
  [[nodiscard]] virtual bool read(CgroupValues& out, std::uint64_t& unread) = 0;
};

class CgroupSource {
 public:
  CgroupSource() = default;
  virtual ~CgroupSource() = default;
  CgroupSource(const CgroupSource&) = delete;
  CgroupSource& operator=(const CgroupSource&) = delete;

  /// `path` begins with a slash at the hierarchy's root. Null: the cgroup does not exist, or no longer does. The source
  /// outlives what it opens.
  [[nodiscard]] virtual std::unique_ptr<OpenCgroup> open(const std::string& path, std::uint64_t& unread) = 0;
};

}  // namespace flowtap::telemetry
