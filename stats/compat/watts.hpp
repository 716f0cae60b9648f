// Kepler's gauges of power and of the CPUs' use, from counters at two times.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// Means over intervals that are as long as Kepler's (5 s) or, where less is read, longer; each stands until the next is over. Of
/// what was not there at both ends nothing is told.
class Watts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Whether what was read at this time ends an interval, or begins the first.
  [[nodiscard]] bool due(Time read) const;

  /// `joules` are Kepler's families of the snapshot, which was read then.
  void take(const Snapshot& snapshot, const std::vector<Family>& joules, Time read);

  void append(const std::string& host, std::vector<Family>& out) const;

 private:
  struct CpuTime {
    std::size_t series = 0;
    double all = 0;
    double idle = 0;
  };
  using Joules = std::map<std::pair<std::string_view, LabelPairs>, double>;

  void take_usage(const Snapshot& snapshot);

  std::optional<Time> since_;
  Joules joules_;  // then, by name
  CpuTime cpu_;
  std::vector<Family> watts_;
  std::optional<double> usage_;
};

}  // namespace flowtap::stats::compat
