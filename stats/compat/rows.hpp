// The rows of compat.def in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// What a row makes of a series.
enum class Tells : std::uint8_t { kValue, kFixed, kSeen, kLess };

struct Row {
  Exporter exporter;
  std::string_view name;
  StatId stat;
  LabelMap labels;
  Tells tells;
  double scale;           ///< for kFixed: the value
  std::string_view help;  ///< empty: the stat's
  StatId less = stat;     ///< for kLess: the stat whose value is taken off
};

[[nodiscard]] std::span<const Row> rows();

/// A whole number of millionths. Sums of these are exact in any order, so a sum of counters never falls because of
/// rounding. Prometheus would take that for a reset and count the whole value as new.
[[nodiscard]] std::uint64_t millionths(const Series& series, const Row& row);

[[nodiscard]] double number(const Value& value);

}  // namespace flowtap::stats::compat
