// The workloads as consumers of the node's energy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "telemetry/energy/energy.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// What workloads have used, from the collector that adds it up to the one that divides the energy. Thread-safe.
class UsageBoard {
 public:
  /// Nanoseconds of CPU time; never falls while the workload is there.
  using CpuTimes = std::map<WorkloadName, std::uint64_t>;

  void post(const std::map<WorkloadName, Workload>& workloads);
  [[nodiscard]] CpuTimes read() const;

 private:
  mutable std::mutex mutex_;
  CpuTimes times_;
};

/// Divides by what stands on the board, which may be of the cycle before: over time it is the same. What the host and who
/// nobody knows used is the system's.
class WorkloadEnergy final : public EnergyConsumers {
 public:
  explicit WorkloadEnergy(std::shared_ptr<const UsageBoard> board) : board_(std::move(board)) {}

  std::vector<EnergyConsumer> consumers() override;
  void charged(std::span<const ConsumerEnergy> energy, Collected& out) override;

 private:
  std::shared_ptr<const UsageBoard> board_;
  std::map<std::string, WorkloadName> told_;  // at the last consumers(), by id
  bool first_ = true;
};

}  // namespace flowtap::telemetry
