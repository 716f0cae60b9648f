// Which runs of each container there were. A runtime that starts a container again keeps its id; podman and Docker do. Each run has
// a cgroup of its own, and a flow of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/flows/flow_run.hpp"

namespace flowtap::identity {

/// What tells a run from the others of its container, as far as it is known.
struct RunBegin {
  std::uint64_t cgroup = 0;  ///< the id of the container's v2 cgroup, which is never used again; 0: not known
  std::uint64_t started = 0;  ///< when its first process did, ns since 1970; 0: not known
  /// The same, ns on CLOCK_BOOTTIME. A runtime may make a cgroup below the container's, and this tells that both are of one run.
  std::uint64_t process = 0;
  bool operator==(const RunBegin&) const = default;
};

/// That a run has ended.
struct RunEnd {
  std::string flow;
  std::uint64_t time = 0;  ///< ns since 1970
};

/// All that needs to know which run a flow has asks here, so that each run has one id. The numbers of a container that was renamed
/// go on under its new name. It is told at a start what earlier services
/// have named. Thread-safe.
class ContainerRuns {
 public:
  /// Which ends of a container's runs are known; `first` is the id of its first run. A known end may be all that is
  /// left of a run, and its number is then not given to another run. Call it before any other thread asks. `ends` is
  /// called without a lock, and at most once for a container that is known.
  using KnownEnds = std::function<std::vector<RunEnd>(std::string_view first)>;
  void know_ends(KnownEnds ends) { ends_ = std::move(ends); }

  /// The flow of this run, where `first` is the id of the container's first run. A run whose cgroup is not known is taken for the
  /// newest one.
  [[nodiscard]] std::string take(const std::string& first, const RunBegin& begin);
  /// This flow already existed, and so did the flows of the containers around it. If several times of its start are
  /// known, the earliest counts. `last`: when it is known to have gone on, ns since 1970; 0: not known.
  void learn(std::string_view flow, const RunBegin& begin, std::uint64_t last = 0);

  /// The flow of the run that went on at that time (ns since 1970), and `first` where that is not known.
  [[nodiscard]] std::string at(const std::string& first, std::uint64_t time) const;
  /// When this flow's run may have written. Absent: its container had other runs, and nobody knows when this one was.
  [[nodiscard]] std::optional<RunSpan> span(std::string_view flow) const;

  /// How many runs it knows, 250 bytes each.
  [[nodiscard]] std::size_t size() const;
  /// Forgets runs that were named long ago and have no flow left, neither their own nor one of a container within them.
  /// Numbers are not used again while any run is left, or its end is known.
  void forget(const std::function<bool(const std::string& flow)>& is_there, std::uint64_t named_before);

 private:
  struct Run {
    std::uint64_t number = 1;
    std::vector<std::uint64_t> cgroups;
    std::uint64_t process = 0;
    std::uint64_t started = 0;
    std::uint64_t last = 0;
    std::uint64_t until = 0;  // when the next one began, if that one is forgotten
    std::uint64_t named = 0;  // when, ns since 1970

    [[nodiscard]] bool is(const RunBegin& begin) const;
    [[nodiscard]] bool is_unknown() const {
      return cgroups.empty() && process == 0 && started == 0 && last == 0;
    }
    void add(const RunBegin& begin);
  };
  struct Container {
    std::vector<Run> runs;   // by number
    std::uint64_t last = 0;  // the highest number that is known to have been given
    bool asked = false;      // for its ends
  };
  using Containers = std::map<std::string, Container, std::less<>>;

  [[nodiscard]] std::vector<RunEnd> new_ends(std::string_view first) const;
  void learn_ends(std::string_view first, const std::vector<RunEnd>& ends, std::uint64_t started) const;
  void keep_numbers_around(std::string_view flow);
  Container& container_of(std::string_view first) const;
  [[nodiscard]] std::vector<Containers::iterator> under_all_names(std::string_view first) const;
  [[nodiscard]] std::optional<std::uint64_t> end_of(std::string_view first, const Run& run) const;

  KnownEnds ends_;
  mutable std::mutex mutex_;
  mutable Containers containers_;  // by the id of the first run; ends are asked for late
  // Whoever renames a container gives its next runs another such id. By the container's own id, which stays.
  mutable std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names_;
  std::size_t runs_ = 0;
};

}  // namespace flowtap::identity
