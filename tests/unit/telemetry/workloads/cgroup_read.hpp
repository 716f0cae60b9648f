// A workload's values, with what could not be read of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "telemetry/workloads/files/cgroup_files.hpp"

namespace flowtap::telemetry::test {

struct Read {
  bool there = false;
  CgroupValues values;
  std::uint64_t unread = 0;
};

inline Read read(OpenCgroup& cgroup) {
  Read all;
  all.there = cgroup.read(all.values, all.unread);
  return all;
}

/// `source` is the result of CgroupFileSource::open_*.
template <typename Source>
Read read_of(const Source& source, const std::string& path) {
  Read all;
  if (!source) return all;
  if (const auto cgroup = source->open(path, all.unread)) all.there = cgroup->read(all.values, all.unread);
  return all;
}

}  // namespace flowtap::telemetry::test
