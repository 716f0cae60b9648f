// Whose energy it was: idle, each consumer's, the system's. Nothing is read here; integer microjoules throughout.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "telemetry/energy/cpu_time.hpp"

namespace flowtap::telemetry {

/// Something that used CPU time, as a container. Counters, as they stand now; one that is lower than before began anew at 0.
struct EnergyConsumer {
  std::string id{};
  std::uint64_t cpu_ns = 0;
  std::optional<std::uint64_t> cycles{};  ///< of the CPUs, where they were counted
  /// It began after the call before: all that it used is of this time. Else its first counters are only where to count from.
  bool began = false;
  bool ended = false;  ///< these are its last counters
  /// What it used may be told rounds later, as long as nobody knew whose it was. More than can be of one interval is not
  /// taken for it: of the busy time it has then what the others leave, and the rest of it was the system's.
  bool may_be_late = false;
};

/// What one consumer used in one interval.
struct ConsumerUse {
  std::uint64_t cpu_ns = 0;
  std::optional<std::uint64_t> cycles;
};

/// An interval's energy, all of it: node == idle + system + the sum of `consumers`, to the microjoule.
struct EnergyShares {
  std::uint64_t idle = 0;
  std::uint64_t system = 0;              ///< active, and of no consumer: the kernel's work, what runs outside
  std::vector<std::uint64_t> consumers;  ///< in the order of the uses
};

/// Shares out `node` microjoules of an interval in which the CPUs worked `cpu.busy` and did nothing `cpu.idle`.
///
/// Active is the busy part of the CPU time, idle the rest, as Kepler has it: energy that is drawn with nothing to do grows
/// with the work under this rule, but it needs no knowledge of the machine, of which there is none before it once was idle.
/// Without any CPU time all is active.
///
/// A consumer has the part of the active energy that its CPU time is of the busy time; what is left is the system's. Clocks
/// differ: where the consumers have more CPU time than was busy, that is all there was, and the system has none.
/// Where all consumers with CPU time have cycles, what they have together is divided by these instead of the time: an hour
/// at 3 GHz takes more than one at 1 GHz. Parts are rounded down; of what that leaves, those that lost most have one
/// microjoule each, in the order of the uses.
[[nodiscard]] EnergyShares share_out(std::uint64_t node, CpuTime cpu, std::span<const ConsumerUse> uses);

/// What one consumer has used.
struct ConsumerEnergy {
  std::string id;
  std::uint64_t uj = 0;  ///< since it was seen first
  bool ended = false;    ///< it is reported for the last time
};

/// Shares added up over time: at any time node() == idle() + system() + gone() + the sum of all consumers there are.
class EnergyAttribution {
 public:
  /// `node` microjoules were used since the call before; `cpu` is absent where it could not be read, and then all is active
  /// and the system's, and the next one only says where to count from. So does the first call of all. Returns all consumers
  /// there are, by id, and once more those that ended or are no longer told of: what these did since then is the system's. Of
  /// two consumers with one id the first counts.
  std::vector<ConsumerEnergy> add(std::uint64_t node, std::optional<CpuTime> cpu,
                                  std::span<const EnergyConsumer> consumers);

  /// `node` microjoules were used that cannot be divided now: they are of the next add()'s, as is the time, and in no total
  /// until then. Returns all consumers there are, as they stood.
  std::vector<ConsumerEnergy> wait(std::uint64_t node);

  [[nodiscard]] std::uint64_t node() const { return node_; }
  [[nodiscard]] std::uint64_t idle() const { return idle_; }
  [[nodiscard]] std::uint64_t active() const { return node_ - idle_; }
  [[nodiscard]] std::uint64_t system() const { return system_; }
  /// Of consumers that are gone.
  [[nodiscard]] std::uint64_t gone() const { return gone_; }

 private:
  struct Known {
    std::uint64_t cpu_ns = 0;
    std::optional<std::uint64_t> cycles;
    std::uint64_t uj = 0;
    std::uint64_t round = 0;  // when it was told of last
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
