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

/// These cgroups are listed only at the looks, and when a known one has gone or none of them has a process. The rest of
/// the time only their files are read. Not thread-safe.
class InnerCgroups {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kDeepest = 8;

  /// Adds their processes to those of `top` itself in `out`; if `top` has none, theirs gives the first one. Where they
  /// could not all be read, or there are more than these bounds, the count is absent, and `unread` is one more. A
  /// process that moves meanwhile may be counted twice or not at all.
  void read(const Fd& top, bool look, CgroupFileSource& source, CgroupValues& out, std::uint64_t& unread);

 private:
  struct Processes {
    double count = 0;
    std::optional<double> lowest;
    bool whole = true;  // false: a known one has gone, or could not be read
    bool failed = false;
  };

  [[nodiscard]] bool list(const Fd& top);
  [[nodiscard]] bool list_one(const Fd& top, const std::string& path);
  [[nodiscard]] Processes processes(const Fd& top, CgroupFileSource& source) const;

  std::vector<std::string> paths_;  // from `top`, with a slash at the end
  bool all_ = false;                // there are no others
};

}  // namespace flowtap::telemetry
