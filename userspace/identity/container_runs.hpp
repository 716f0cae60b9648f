// Which runs of each container there were. A runtime that starts a container again keeps its id; podman and Docker do. Each run has
// a cgroup of its own, and a flow of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flows/flow_run.hpp"

namespace flowtap::identity {

/// What tells a run from the others of its container, as far as it is known.
struct RunBegin {
  std::uint64_t cgroup = 0;  ///< the id of the container's v2 cgroup, which is never used again; 0: not known
  std::uint64_t started = 0;  ///< when its first process did, ns since 1970; 0: not known
  bool operator==(const RunBegin&) const = default;
};

/// All that needs to know which run a flow has asks here, so that each run has one id. It is told at a start what earlier services
/// have named. Thread-safe.
class ContainerRuns {
 public:
  /// The flow of this run, where `first` is the id of the container's first run. A run whose cgroup is not known is taken for the
  /// newest one.
  [[nodiscard]] std::string take(const std::string& first, const RunBegin& begin);
  /// This flow is there from before. Of times of its start the earliest counts.
  void learn(std::string_view flow, const RunBegin& begin);

  /// The flow of the run that went on at that time (ns since 1970), and `first` where that is not known.
  [[nodiscard]] std::string at(const std::string& first, std::uint64_t time) const;
  /// When this flow's run may have written. Absent: its container had other runs, and nobody knows when this one was.
  [[nodiscard]] std::optional<RunSpan> span(std::string_view flow) const;

  /// How many runs it knows, 200 bytes each.
  [[nodiscard]] std::size_t size() const;
  /// Forgets runs that were named long ago and whose flows are gone. Numbers are not given again while any run is left.
  void forget(const std::function<bool(const std::string& flow)>& is_there, std::uint64_t named_before);

 private:
  struct Run {
    std::uint64_t number = 1;
    RunBegin begin;
    std::uint64_t named = 0;  // when, ns since 1970
  };
  struct Container {
    std::vector<Run> runs;  // by number
    std::uint64_t last = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Container, std::less<>> containers_;  // by the id of the first run
  std::size_t runs_ = 0;
};

}  // namespace flowtap::identity
