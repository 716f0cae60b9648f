// The columns of `flowtap top --pods`: each is a row of one table, and comes from families of /api/v1/workloads.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/json/workloads_json.hpp"

namespace flowtap::cli {

struct PodColumn {
  enum class How : std::uint8_t {
    kRate,  ///< the rate of counters, per second
    kNow,   ///< the newest value
  };
  std::string_view word;     ///< for --sort; empty: the column is only in JSON
  std::string_view heading;  ///< on a screen
  std::string_view member;   ///< in JSON
  How how = How::kNow;
  bool sum = false;  ///< of all its families; false: the first one that is there
  std::array<std::string_view, 2> families;
  std::string (*text)(double) = nullptr;
  std::size_t width = 0;      ///< the least width, so that a live screen does not jump
  int worth = 0;              ///< columns that are worth less are left out on a narrow terminal
  bool from_nothing = false;  ///< a family that the workload did not have before was 0
};

/// All columns in the order in which they are shown.
[[nodiscard]] std::span<const PodColumn> pod_columns();
/// The index of the column that --sort calls by this word.
[[nodiscard]] std::optional<std::size_t> pod_column(std::string_view word);
/// "cpu, wait, ...".
[[nodiscard]] std::string pod_column_words();

/// Whether the workload has any value for the column.
[[nodiscard]] bool has(const api::WorkloadReading& workload, const PodColumn& column);

/// The newest value. Absent: not known.
[[nodiscard]] std::optional<double> value_now(const api::WorkloadReading& workload, const PodColumn& column);
/// The rate per second of a column of counters. Absent: it is not known at both ends of the interval, or it went back.
[[nodiscard]] std::optional<double> rate(const api::WorkloadReading& before, const api::WorkloadReading& now,
                                         const PodColumn& column, double seconds);

}  // namespace flowtap::cli
