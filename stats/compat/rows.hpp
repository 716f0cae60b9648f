// compat.def as C++ sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// What a row tells of a series.
enum class Tells : std::uint8_t { kValue, kFixed, kSeen };

struct Row {
  Exporter exporter;
  std::string_view name;
  StatId stat;
  LabelMap labels;
  Tells tells;
  double scale;           ///< of kFixed: the value
  std::string_view help;  ///< empty: the stat's
};

[[nodiscard]] std::span<const Row> rows();

/// A whole number of millionths: sums of these are exact, whatever their order, so that no sum of counters falls by a rounding,
/// which to Prometheus would be a reset and all of it new.
[[nodiscard]] std::uint64_t millionths(const Series& series, const Row& row);

[[nodiscard]] double number(const Value& value);

}  // namespace flowtap::stats::compat
