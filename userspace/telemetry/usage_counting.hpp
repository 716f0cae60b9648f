// What the telemetry asks of whoever counts what cgroups use.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "identity/usage_hierarchy.hpp"
#include "stats/usage_source.hpp"

namespace flowtap {

class UsageCounting {
 public:
  UsageCounting() = default;
  UsageCounting(const UsageCounting&) = delete;
  UsageCounting& operator=(const UsageCounting&) = delete;
  virtual ~UsageCounting() = default;

  /// Whether counting has to begin anew, or to end, under the options as they are now; what it gave is void then.
  [[nodiscard]] virtual bool changes() const = 0;
  /// What the node's cgroups use, or why that is not known; null if nothing counts.
  [[nodiscard]] virtual Result<std::unique_ptr<stats::UsageSource>> usage() = 0;
  /// The hierarchy in which usage() tells workloads apart.
  [[nodiscard]] virtual identity::UsageHierarchy hierarchy() const = 0;
  /// Why energy is not divided by cycles, in one phrase; empty where it is, or nothing is to be divided.
  [[nodiscard]] virtual const std::string& why_no_cycles() const = 0;
};

}  // namespace flowtap
