// What `flowtap top --pods` tells of a pod: each a row of one table, out of the families of /api/v1/workloads.
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
    kRate,  ///< of counters, by the second
    kNow,   ///< as it stands
  };
  std::string_view word;     ///< of --sort; empty: it is in JSON alone
  std::string_view heading;  ///< on a screen
  std::string_view member;   ///< in JSON
  How how = How::kNow;
  bool sum = false;  ///< of all its families; else the first that is there
  std::array<std::string_view, 2> families;
  std::string (*text)(double) = nullptr;
  std::size_t width = 0;      ///< at least, so that a live screen does not jump
  int worth = 0;              ///< what is worth less gives way on a narrow terminal
  bool from_nothing = false;  ///< a family that the workload did not have before stood at 0
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const PodColumn> pod_columns();
/// The index of the one that --sort calls by this word.
[[nodiscard]] std::optional<std::size_t> pod_column(std::string_view word);
/// "cpu, wait, ...".
[[nodiscard]] std::string pod_column_words();

/// Whether anything is known of it.
[[nodiscard]] bool has(const api::WorkloadReading& workload, const PodColumn& column);

/// As it stands. Absent: not known.
[[nodiscard]] std::optional<double> value_now(const api::WorkloadReading& workload, const PodColumn& column);
/// Of a column of counters, by the second. Absent: not known at both ends of the interval, or it went back between them.
[[nodiscard]] std::optional<double> rate(const api::WorkloadReading& before, const api::WorkloadReading& now,
                                         const PodColumn& column, double seconds);

}  // namespace flowtap::cli
