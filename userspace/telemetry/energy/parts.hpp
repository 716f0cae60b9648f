// The counters and meters over time: what each has counted since the start, through wraps, jumps, departures and
// returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/energy/counter.hpp"
#include "telemetry/energy/reading.hpp"

namespace flowtap::telemetry {

/// How long a counter may be away: what it counted meanwhile is added when it is back. After that it is given up, and
/// another one that counts the same may replace it. Also how long one reading of a meter stays valid.
inline constexpr std::chrono::seconds kEnergyAway{60};

/// A part that was read this time.
struct EnergyPart {
  std::string_view source;
  std::string_view part;
  EnergyDomain domain = EnergyDomain::kOther;
  EnergyStep step;                ///< since it was read before
  EnergyClock::time_point since;  ///< when that was; of the first reading, now
  std::uint64_t total = 0;        ///< microjoules since the start
  std::string_view place{};       ///< where it is read; empty for a meter
};

class EnergyParts {
 public:
  /// Begins another round, in which nothing was read yet.
  void begin();
  /// The readings of one source, once in a round. A platform's meter is a part whose power is added up. There are at
  /// most 1024 parts; any beyond that are added to `unread`. Readings that were there in the round before add nothing.
  void add(const EnergyReadings& readings, std::uint64_t& unread);
  /// What was read in this round; valid until the next.
  [[nodiscard]] std::span<const EnergyPart> read_now() const { return read_now_; }

  /// How often a counter jumped: what it counted just then is not known, and in no total.
  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }

 private:
  struct Tracked {
    std::string_view source;
    std::string part;
    std::string place;
    EnergyCounter counter;
    EnergyClock::time_point at;    // when it was read last
    std::uint64_t round = 0;       // and in which round
    std::uint64_t total = 0;       // microjoules
    std::uint64_t picojoules = 0;  // for a meter, under 10^6: not yet a whole microjoule
  };

  void read_counter(const EnergyReading& reading, EnergyClock::time_point now, std::uint64_t& unread);
  void read_meter(const PowerReading& reading, EnergyClock::time_point now, std::uint64_t& unread);
  Tracked* find(std::string_view source, std::string part, std::uint64_t& unread);
  void take(Tracked& tracked, EnergyStep step, EnergyDomain domain, EnergyClock::time_point at);

  std::map<std::string, Tracked> all_;  // by part
  std::vector<EnergyPart> read_now_;
  std::uint64_t round_ = 0;
  std::uint64_t jumps_ = 0;
};

}  // namespace flowtap::telemetry
