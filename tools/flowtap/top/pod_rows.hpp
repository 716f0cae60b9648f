// What pods have used between two looks: pure functions over the answers of /api/v1/workloads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/json/workloads_json.hpp"

namespace flowtap::cli {

/// A pod with all its containers, or one container.
struct PodRow {
  /// The kind is pod or container; of a pod as a whole the container is empty.
  api::WorkloadKey key;
  std::vector<std::optional<double>> values;  ///< by the index of pod_columns(); absent: not known
};

struct PodChoice {
  bool containers = false;  ///< a row for each container
  std::string ns = {};      ///< of this namespace alone; empty: all
};

/// An interval of all pods.
struct PodInterval {
  double end = 0;            ///< seconds since the epoch
  double seconds = 0;        ///< its length; 0: there was one look alone, and no rate is known
  std::vector<bool> known;   ///< by the index of pod_columns(): whether anybody on the node has it
  std::vector<PodRow> rows;  ///< by name
};

/// Pods, and containers that are no pod's. A pod's value is the sum over those of its containers of which it is known.
/// `before` may be null.
[[nodiscard]] PodInterval pod_interval(const api::WorkloadsReading* before, const api::WorkloadsReading& now,
                                       const PodChoice& choice);

/// The largest in this column first; those of which it is not known last; by name where it is the same.
void sort_rows(std::vector<PodRow>& rows, std::size_t column);

}  // namespace flowtap::cli
