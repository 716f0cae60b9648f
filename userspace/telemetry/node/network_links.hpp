// The state of the node's network devices, from /sys/class/net.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/fd.hpp"
#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// This is separate from NetworkCollector, because a driver may take long to tell its speed. It also holds the lock
/// that whoever changes the network's configuration waits for. So the speed is asked for only now and then, and
/// whenever the device's state has changed.
class NetworkLinkCollector final : public Collector {
 public:
  static constexpr std::uint64_t kSpeedRounds = 60;  ///< after this many rounds the speed is asked for anew

  /// `sysfs`: the node's. It shows the devices of the network namespace in which it was mounted.
  explicit NetworkLinkCollector(std::string sysfs) : folder_(std::move(sysfs) + "/class/net") {}

  [[nodiscard]] std::string_view name() const override { return "network_links"; }
  void collect(Collected& out) override;

 private:
  struct Link {
    std::uint64_t seen = 0;              // the last round in which it was there
    std::uint64_t asked = 0;             // the last round in which its speed was asked for; 0: never
    std::string state;                   // its state at that time
    std::optional<std::uint64_t> speed;  // Mbit/s
  };

  void add(const Fd& device, const std::string& label, Collected& out);

  std::string folder_;
  std::uint64_t round_ = 0;
  std::map<std::string, Link> links_;
};

}  // namespace flowtap::telemetry
