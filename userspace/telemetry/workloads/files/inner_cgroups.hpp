// The processes of a workload that has cgroups of its own below its own, as crun and systemd make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "telemetry/workloads/files/cgroup_values.hpp"

namespace flowtap::telemetry {

class CgroupFileSource;

/// Which there are is listed at the looks, and when one that was known has gone or none of them has a process; so that the
/// rest of the time their files alone are read. Not thread-safe.
class InnerCgroups {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kDeepest = 8;

  /// Adds their processes to those of `top` itself that are in `out`; the first one is theirs where `top` has none. Where they
  /// could not all be read, or there are more than these bounds, the count is absent, and `unread` one more. A process that
  /// moves meanwhile may be counted twice or not at all.
  void read(const Fd& top, bool look, CgroupFileSource& source, CgroupValues& out, std::uint64_t& unread);

 private:
  struct Processes {
    double count = 0;
    std::optional<double> lowest;
    bool whole = true;  // false: one that is known has gone, or could not be read
    bool failed = false;
  };

  [[nodiscard]] bool list(const Fd& top);
  [[nodiscard]] bool list_one(const Fd& top, const std::string& path);
  [[nodiscard]] Processes processes(const Fd& top, CgroupFileSource& source) const;

  std::vector<std::string> paths_;  // from `top`, with a slash at the end
  bool all_ = false;                // no others are there
};

}  // namespace flowtap::telemetry
