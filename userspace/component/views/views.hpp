// What a node shows: the API reads these interfaces, and whoever knows the answers implements them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/diagnosis_views.hpp"
#include "component/views/exit_views.hpp"
#include "component/views/flow_views.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::api {

/// A part of the service that can be missing while the rest runs.
struct ComponentStatus {
  std::string name;
  bool up = false;
  std::string detail;  ///< how it runs, or why it does not
  std::string hint;    ///< the way out; empty while it is up
  bool operator==(const ComponentStatus&) const = default;
};

/// One BPF program. Numbers that the kernel does not keep now are absent.
struct ProgramStatus {
  std::string name;
  bool attached = false;
  std::optional<std::uint64_t> run_count;
  std::optional<double> run_time_seconds;
  std::optional<std::uint64_t> recursion_misses;
  bool operator==(const ProgramStatus&) const = default;
};

struct CountStatus {
  std::vector<ProgramStatus> programs;
  std::uint64_t cpus_possible = 0;
  std::uint64_t cpus_online = 0;
  double cycle_seconds = 0;                  ///< as configured
  std::uint64_t cycles = 0;                  ///< since the start
  std::optional<double> last_cycle_seconds;  ///< how long the last one took; absent before the first
  bool operator==(const CountStatus&) const = default;
};

struct BackendStatus {
  std::string name;
  bool up = false;
  std::uint64_t pending = 0;
  std::uint64_t lost = 0;
  std::string last_error;
  bool operator==(const BackendStatus&) const = default;
};

struct ReadErrorStatus {
  std::string what;
  std::uint64_t count = 0;
  bool operator==(const ReadErrorStatus&) const = default;
};

/// /api/v1/status.
struct StatusReport {
  std::string version;
  std::string kernel;  ///< release, as uname -r
  double uptime_seconds = 0;
  std::vector<ComponentStatus> components;
  CountStatus count;
  std::optional<StreamStatusReport> stream;  ///< absent while the stream path is off
  std::vector<BackendStatus> backends;
  std::vector<ReadErrorStatus> read_errors;
  bool operator==(const StatusReport&) const = default;
};

/// Read by the API's thread at any time, for as long as the server lives; answers from memory and does not
/// block.
class NodeView {
 public:
  NodeView() = default;
  NodeView(const NodeView&) = delete;
  NodeView& operator=(const NodeView&) = delete;
  virtual ~NodeView() = default;

  [[nodiscard]] virtual StatusReport status() const = 0;
  /// The newest totals; null before the first cycle.
  [[nodiscard]] virtual stats::SnapshotPtr snapshot() const = 0;
  /// While the service is not ready, an Error that says why and what it waits for.
  [[nodiscard]] virtual Status ready() const = 0;
  /// How each container of this pod ended last, as far as that was seen.
  [[nodiscard]] virtual Exits exits(const std::string& /*ns*/, const std::string& /*pod*/) const {
    return {};
  }
  /// The same of what is in no pod and people call so: a container's name or id, a service's name, the flow's id. An
  /// empty name stands for all of them.
  [[nodiscard]] virtual Exits exits_of(const std::string& /*name*/) const { return {}; }
  /// The flows; the returned view lives as long as this. While nothing is captured, an Error that says why.
  [[nodiscard]] virtual Result<FlowsView*> flows() const {
    return fail("the stream path is off",
                "set stream.enabled to true in flowtapd's configuration, and restart it");
  }
  /// The same for the explain path.
  [[nodiscard]] virtual Result<DiagnosesView*> diagnoses() const {
    return fail("the explain path is off",
                "set explain.enabled to true in flowtapd's configuration, and restart it");
  }
};

}  // namespace flowtap::api
