// The workloads as consumers of the node's energy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/energy/energy.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// What workloads have used, passed from the collector that adds it up to the one that divides the energy. Thread-safe.
class UsageBoard {
 public:
  /// Counters; neither falls while the workload exists.
  struct Use {
    std::uint64_t cpu_ns = 0;
    std::optional<std::uint64_t> cycles;  ///< absent where they do not cover all that ran
  };

  struct Posted {
    std::map<WorkloadName, Use> uses;
    std::uint64_t number = 0;  ///< number of the post; 0: there was none yet
  };

  /// `cycles`: stats::UsageSource::counts_cycles().
  void post(const std::map<WorkloadName, Workload>& workloads, bool cycles);
  [[nodiscard]] Posted read() const;
  [[nodiscard]] std::uint64_t number() const;  ///< of the last post
  /// Whether the last post included cycles: a CPU that came later has no counter.
  [[nodiscard]] bool counts_cycles() const;

 private:
  mutable std::mutex mutex_;
  Posted posted_;
};

/// Divides by what stands on the board, which may be from the cycle before: over time it is the same. The collectors
/// run side by side, so one may look twice at the same post. Then energy waits for the next post; otherwise one cycle
/// would have no consumers, and the next the consumers of two. What the host and unknown workloads used is the
/// system's. So is what a workload used while the ledger waited for its name, because that is reported at once, after
/// the intervals that it belongs to.
class WorkloadEnergy final : public EnergyConsumers {
 public:
  explicit WorkloadEnergy(std::shared_ptr<const UsageBoard> board) : board_(std::move(board)) {}

  [[nodiscard]] bool ready() const override;
  std::vector<EnergyConsumer> consumers() override;
  void charged(std::span<const ConsumerEnergy> energy, Collected& out) override;

 private:
  std::shared_ptr<const UsageBoard> board_;
  std::map<std::string, WorkloadName> told_;  // at the last consumers(), by id
  std::uint64_t seen_ = 0;                    // number of the post that was read last
};

}  // namespace flowtap::telemetry
