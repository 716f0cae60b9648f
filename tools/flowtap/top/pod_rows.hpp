// What pods used between two readings: pure functions over the answers of /api/v1/workloads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/json/workloads_json.hpp"

namespace flowtap::cli {

/// A pod with all its containers, or one container.
struct PodRow {
  /// The kind is pod or container; for a pod as a whole, the container is empty.
  api::WorkloadKey key;
  std::vector<std::optional<double>> values;  ///< by the index of pod_columns(); absent: not known
  bool ended = false;                         ///< nothing of it runs any more
};

struct PodChoice {
  bool containers = false;  ///< a row for each container
  std::string ns = {};      ///< only this namespace; empty: all
  bool ended = false;       ///< also those that have ended
};

/// One interval for all pods.
struct PodInterval {
  double end = 0;            ///< seconds since the epoch
  double seconds = 0;        ///< its length; 0: there was only one reading, so no rate is known
  std::vector<bool> known;   ///< by the index of pod_columns(): whether any workload on the node has it
  std::vector<PodRow> rows;  ///< sorted by name
  std::size_t left_out = 0;  ///< rows of what has ended, which were not asked for
};

/// Pods, and containers outside of pods. A pod's value is the sum over its containers, as far as they have the value.
/// `before` may be null.
[[nodiscard]] PodInterval pod_interval(const api::WorkloadsReading* before, const api::WorkloadsReading& now,
                                       const PodChoice& choice);

/// Sorts by this column: the largest first, rows without a value last, and equal ones by name. What has ended stands behind the
/// rest.
void sort_rows(std::vector<PodRow>& rows, std::size_t column);

}  // namespace flowtap::cli
