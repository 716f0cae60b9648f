// The node's energy by RAPL zone, as Kepler has it: each split into active and idle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// Views of what it was parsed from.
struct RaplZone {
  std::string_view
      zone;  ///< "package", "core", "uncore", "dram", "psys"; empty: no zone of RAPL that others know
  std::string_view
      socket;  ///< its number, with that of a die where packages have several; psys may have none
};
/// Of a `part` of ours: "package-0", "package-0/core", "psys".
[[nodiscard]] RaplZone rapl_zone(std::string_view part);

/// Kepler calls that part of a zone's energy active that the CPUs' busy time is of all their time, in each interval. Ours of the
/// node are divided alike, so each zone's are divided by these.
class Zones {
 public:
  /// To be called with each snapshot, in their order.
  void take(const Snapshot& snapshot);

  /// kepler_node_cpu_*joules_total: zones of one name of all sockets are one there, and all of the node's energy is "node". And
  /// what the zones were called before, by socket: kepler_node_{package,core,uncore,dram}_joules_total.
  void append(const std::string& host, std::vector<Family>& out) const;

 private:
  struct Part {
    std::string zone;    ///< "package", "core", "uncore", "dram", "psys"
    std::string socket;  ///< its number
    std::uint64_t total = 0;
    std::uint64_t divided = 0;  ///< of that
    std::uint64_t active = 0;   ///< of what was divided
    std::uint64_t round = 0;
  };
  struct Energy {
    std::uint64_t all = 0;
    std::uint64_t active = 0;
    std::uint64_t idle = 0;
  };

  void divide(const Energy& node);
  [[nodiscard]] std::map<std::string, Energy> by_zone() const;

  std::map<std::string, Part> parts_;  // by our name
  Energy node_;                        // microjoules, as all here: sums of them are exact
  std::uint64_t node_round_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace flowtap::stats::compat
