// The node's memory, from /proc/meminfo and /proc/vmstat.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// /proc/meminfo, lines of "Name:  123 kB": those for which node.def has rows.
void parse_meminfo(std::string_view text, Collected& out);

/// /proc/vmstat, lines of "name 123": those for which node.def has rows.
void parse_vmstat(std::string_view text, Collected& out);

class MemoryCollector final : public Collector {
 public:
  /// `proc`: the node's procfs.
  explicit MemoryCollector(std::string proc) : proc_(std::move(proc)) {}

  [[nodiscard]] std::string_view name() const override { return "memory"; }
  void collect(Collected& out) override;

 private:
  std::string proc_;
};

}  // namespace flowtap::telemetry
