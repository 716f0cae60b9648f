// Kepler's gauges of power and of the CPUs' use, from counters at two times.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// Means over intervals as long as Kepler's (5 s), or longer if the machine is read less often. Each value stays until
/// the next interval is over. A series that was not there at both ends has no value.
class Watts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Whether a reading at this time ends an interval, or begins the first one.
  [[nodiscard]] bool due(Time read) const;

  /// `joules` are Kepler's families of the snapshot that was read at this time.
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
  Joules joules_;  // at the begin of the interval, by name
  CpuTime cpu_;
  std::vector<Family> watts_;
  std::optional<double> usage_;
};

}  // namespace flowtap::stats::compat
