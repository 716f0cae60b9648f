// Whose energy it was: idle, each consumer's, the system's. It reads nothing and counts in whole microjoules
// throughout.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "telemetry/energy/cpu_time.hpp"

namespace flowtap::telemetry {

/// Something that used CPU time, such as a container. Its counters as they stand now; one that is lower than before
/// began anew at 0.
struct EnergyConsumer {
  std::string id{};
  std::uint64_t cpu_ns = 0;
  std::optional<std::uint64_t> cycles{};  ///< CPU cycles, where they were counted
  /// It began after the call before, so all that it used belongs to this interval. Otherwise its first counters only
  /// say where to count from.
  bool began = false;
  bool ended = false;  ///< these are its last counters
  /// What it used may be reported rounds later, as long as nobody knew whose it was. More than one interval can hold is
  /// not taken for this one: it then gets what the others leave of the busy time, and the rest was the system's.
  bool may_be_late = false;
};

/// What one consumer used in one interval.
struct ConsumerUse {
  std::uint64_t cpu_ns = 0;
  std::optional<std::uint64_t> cycles;
};

/// All energy of an interval: node == idle + system + the sum of `consumers`, to the microjoule.
struct EnergyShares {
  std::uint64_t idle = 0;
  std::uint64_t system = 0;  ///< active, but no consumer's: the kernel's work, and what runs outside
  std::vector<std::uint64_t> consumers;  ///< in the order of the uses
};

/// Shares out `node` microjoules of an interval in which the CPUs worked for `cpu.busy` and did nothing for `cpu.idle`.
///
/// The busy part of the CPU time makes energy active, the rest is idle, as in Kepler. Under this rule the energy that a
/// machine draws with nothing to do grows with the work. But it needs no knowledge of the machine, and there is none
/// before the machine once was idle. Without any CPU time all is active.
///
/// A consumer gets the part of the active energy that its CPU time has in the busy time; what is left is the system's.
/// Clocks differ: if the consumers have more CPU time than was busy, theirs is taken for all, and the system gets
/// nothing. If all consumers with CPU time have cycles, their common part is divided by these instead of the time: an
/// hour at 3 GHz takes more than one at 1 GHz. Parts are rounded down. Those that lost most by that get one microjoule
/// each of what is left, in the order of the uses.
[[nodiscard]] EnergyShares share_out(std::uint64_t node, CpuTime cpu, std::span<const ConsumerUse> uses);

/// What one consumer has used.
struct ConsumerEnergy {
  std::string id;
  std::uint64_t uj = 0;  ///< since it was seen first
  bool ended = false;    ///< it is reported for the last time
};

/// Shares added up over time: at any time node() == idle() + system() + gone() + the sum of all current consumers.
class EnergyAttribution {
 public:
  /// `node` microjoules were used since the call before. Where `cpu` is absent because it could not be read, all is
  /// active and the system's, and the next one only says where to count from. The first call of all does the same.
  /// Returns all current consumers by id, and for a last time those that have ended or are no longer reported: what
  /// these did since then is the system's. If two consumers have the same id, the first counts.
  std::vector<ConsumerEnergy> add(std::uint64_t node, std::optional<CpuTime> cpu,
                                  std::span<const EnergyConsumer> consumers);

  /// `node` microjoules were used that cannot be divided now. The next add() divides them, together with this time;
  /// until then they are in no total. Returns all current consumers as they stood.
  std::vector<ConsumerEnergy> wait(std::uint64_t node);

  [[nodiscard]] std::uint64_t node() const { return node_; }
  [[nodiscard]] std::uint64_t idle() const { return idle_; }
  [[nodiscard]] std::uint64_t active() const { return node_ - idle_; }
  [[nodiscard]] std::uint64_t system() const { return system_; }
  /// The microjoules of consumers that are gone.
  [[nodiscard]] std::uint64_t gone() const { return gone_; }

 private:
  struct Known {
    std::uint64_t cpu_ns = 0;
    std::optional<std::uint64_t> cycles;
    std::uint64_t uj = 0;
    std::uint64_t round = 0;  // in which it was last reported
  };

  [[nodiscard]] CpuTime cpu_since(std::optional<CpuTime> cpu);
  [[nodiscard]] ConsumerUse use_since(Known& known, const EnergyConsumer& consumer, bool fresh) const;

  std::map<std::string, Known> known_;
  std::optional<CpuTime> cpu_;
  std::uint64_t round_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t node_ = 0;
  std::uint64_t idle_ = 0;
  std::uint64_t system_ = 0;
  std::uint64_t gone_ = 0;
};

}  // namespace flowtap::telemetry
