// The node's energy by RAPL zone, each split into active and idle as in Kepler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// The zone that stands for all of the node's energy.
inline constexpr std::string_view kNodeZone = "node";

/// These are views of the text that was parsed.
struct RaplZone {
  std::string_view
      zone;  ///< "package", "core", "uncore", "dram", "psys"; empty: not a zone of RAPL that other exporters know
  std::string_view socket;  ///< its number, with a die's number if packages have several; psys may have none
};
/// Parses our label `part`: "package-0", "package-0/core", "psys".
[[nodiscard]] RaplZone rapl_zone(std::string_view part);

/// In each interval, Kepler takes the CPUs' busy share of their time as the active share of a zone's energy. Our node
/// totals are divided in the same way, so each zone is divided by their ratio.
class Zones {
 public:
  /// Call it with each snapshot, in order.
  void take(const Snapshot& snapshot);

  /// kepler_node_cpu_*joules_total: there, zones of the same name on all sockets are one, and all of the node's energy
  /// is "node". Also the earlier names of the zones, by socket: kepler_node_{package,core,uncore,dram}_joules_total.
  void append(const std::string& host, std::vector<Family>& out) const;

 private:
  struct Part {
    std::string zone;    ///< "package", "core", "uncore", "dram", "psys"
    std::string socket;  ///< its number
    std::uint64_t total = 0;
    std::uint64_t divided = 0;  ///< the part of it that was divided
    std::uint64_t active = 0;   ///< the active part of what was divided
    std::uint64_t round = 0;
  };
  struct Energy {
    std::uint64_t all = 0;
    std::uint64_t active = 0;
    std::uint64_t idle = 0;
  };

  void divide(const Energy& node);
  [[nodiscard]] std::map<std::string, Energy> by_zone() const;

  std::map<std::string, Part> parts_;  // by our name of the part
  Energy node_;                        // in microjoules, like everything here: sums of these are exact
  std::uint64_t node_round_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace flowtap::stats::compat
