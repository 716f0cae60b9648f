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

/// A workload by its labels, as stats/workload.def has them; a label that does not apply is empty.
struct WorkloadKey {
  std::string kind;
  std::string ns;
  std::string pod;
  std::string container;
  std::string workload;
  auto operator<=>(const WorkloadKey&) const = default;
};

/// Every member that is given must match.
struct WorkloadFilter {
  std::optional<std::string> kind = {};
  std::optional<std::string> ns = {};
  std::optional<std::string> pod = {};
};

/// The newest values of all workloads, sorted by their labels:
///   {"time_seconds", "monotonic_seconds",
///    "workloads": [{"kind", "namespace", "pod", "container", "workload", "values": {FAMILY: number},
///                   "series": [{"name": FAMILY, "labels": {key: value}, "value": number}]}]}
/// Labels that are empty and values that could not be read are absent. A family that has more labels than the
/// workload's is in "series", with these labels. The names are those of /metrics, and counters (..._total) are totals.
/// "monotonic_seconds" is the time of reading by a clock that nobody sets: clients compute rates with it.
[[nodiscard]] std::string workloads_to_json(const stats::Snapshot& snapshot, const WorkloadFilter& filter);

/// One workload as a client has it.
struct WorkloadReading {
  WorkloadKey key;
  std::map<std::string, double> values;  ///< by family; a family with several series has their sum
};
struct WorkloadsReading {
  std::chrono::duration<double> time{};       ///< since the epoch
  std::chrono::duration<double> monotonic{};  ///< since some moment before
  std::vector<WorkloadReading> workloads;     ///< each key once
};
[[nodiscard]] Result<WorkloadsReading> workloads_from_json(std::string_view json);

}  // namespace flowtap::api
