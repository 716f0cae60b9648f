// What the machine is: its processors, from /proc/cpuinfo, and its ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// A logical CPU as /proc/cpuinfo describes it. What the file does not tell is empty: an arm64 kernel has neither model
/// nor place.
struct Processor {
  std::string cpu;
  std::string vendor;   ///< "vendor_id"; arm64: "CPU implementer"
  std::string model;    ///< "model name"
  std::string package;  ///< "physical id"
  std::string core;     ///< "core id"

  bool operator==(const Processor&) const = default;
};

/// In the order of the file. No kernel has more than kMostProcessors; what is beyond them is left out.
[[nodiscard]] std::vector<Processor> parse_cpuinfo(std::string_view text);
inline constexpr std::size_t kMostProcessors = 8192;

class MachineCollector final : public Collector {
 public:
  /// `ids`: whether the machine's ids are told, too.
  MachineCollector(std::string host_root, bool ids) : host_root_(std::move(host_root)), ids_(ids) {}

  [[nodiscard]] std::string_view name() const override { return "machine"; }
  void collect(Collected& out) override;

 private:
  /// /proc/cpuinfo asks every CPU for its clock, so it is read anew only when other CPUs are online.
  void read_processors(const std::string& online, Collected& out);
  void read_ids();

  std::string host_root_;
  bool ids_;
  bool read_ = false;
  std::string online_;
  std::vector<stats::Series> processors_;
  stats::Labels machine_;
};

}  // namespace flowtap::telemetry
