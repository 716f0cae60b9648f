// The body of /api/v1/workloads, written and read: both sides of the wire in one place.
#pragma once

#include <chrono>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::api {

/// A workload by its labels, as stats/workload.def has them; empty where one does not apply.
struct WorkloadKey {
  std::string kind;
  std::string ns;
  std::string pod;
  std::string container;
  std::string workload;
  auto operator<=>(const WorkloadKey&) const = default;
};

/// All that is given must match.
struct WorkloadFilter {
  std::optional<std::string> kind = {};
  std::optional<std::string> ns = {};
  std::optional<std::string> pod = {};
};

/// Whether the family is about workloads: its labels begin with those of a workload.
[[nodiscard]] bool is_of_workloads(const stats::Family& family);

/// The newest values of all workloads, sorted by their labels:
///   {"time_seconds", "monotonic_seconds",
///    "workloads": [{"kind", "namespace", "pod", "container", "workload", "values": {FAMILY: number},
///                   "series": [{"name": FAMILY, "labels": {key: value}, "value": number}]}]}
/// Labels that are empty and values that could not be read are absent. A family whose labels go on behind the workload's stands
/// in "series", with those labels. Names are those of /metrics, counters (..._total) are totals. "monotonic_seconds" is when
/// they were read, by a clock that nobody sets: rates are differences by it.
[[nodiscard]] std::string workloads_to_json(const stats::Snapshot& snapshot, const WorkloadFilter& filter);

/// One workload as a client has it.
struct WorkloadReading {
  WorkloadKey key;
  std::map<std::string, double> values;  ///< by family; where it has several series, their sum
};
struct WorkloadsReading {
  std::chrono::duration<double> time{};       ///< since the epoch
  std::chrono::duration<double> monotonic{};  ///< since some moment before
  std::vector<WorkloadReading> workloads;     ///< each key once
};
[[nodiscard]] Result<WorkloadsReading> workloads_from_json(std::string_view json);

}  // namespace flowtap::api
