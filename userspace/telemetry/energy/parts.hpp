// The counters and meters over time: what each has counted since the start, whatever wraps, jumps, goes and comes back.
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

/// How long a counter may be away: what it counted meanwhile is had when it is back. Then it is given up, and another that
/// counts the same may stand in for it. Also how long one reading of a meter may stand for.
inline constexpr std::chrono::seconds kEnergyAway{60};

/// One that was read this time.
struct EnergyPart {
  std::string_view source;
  std::string_view part;
  EnergyDomain domain = EnergyDomain::kOther;
  EnergyStep step;                ///< since it was read before
  EnergyClock::time_point since;  ///< when that was; of the first reading, now
  std::uint64_t total = 0;        ///< microjoules since the start
  std::string_view place{};       ///< where it is read; of a meter empty
};

class EnergyParts {
 public:
  /// Another round, in which nothing was read yet.
  void begin();
  /// One source's readings, once in a round. A platform's meter is a part whose power is added up. There are 1024 parts at
  /// most, and one beyond that is added to `unread`. Readings that were there in the round before add nothing.
  void add(const EnergyReadings& readings, std::uint64_t& unread);
  /// What was read in this round; good until the next.
  [[nodiscard]] std::span<const EnergyPart> read_now() const { return read_now_; }

  /// Times that a counter jumped: what it counted just then is not known, and in no total.
  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }

 private:
  struct Tracked {
    std::string_view source;
    std::string part;
    std::string place;
    EnergyCounter counter;
    EnergyClock::time_point at;    // when it was read last
    std::uint64_t round = 0;       // and in which call
    std::uint64_t total = 0;       // microjoules
    std::uint64_t picojoules = 0;  // of a meter, under 10^6: what makes no microjoule yet
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
